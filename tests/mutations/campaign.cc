// SPDX-License-Identifier: Apache-2.0
#include "tests/mutations/campaign.h"

#include <algorithm>
#include <cstring>
#include <memory>
#include <numeric>
#include <random>
#include <vector>

#include "backends/backends.h"
#include "backends/test/test_backend.h"
#include "ir/base/strings.h"
#include "ir/verify/verifier.h"
#include "runtime/session.h"
#include "tests/model/loaded_model.h"
#include "tests/mutations/mutate_program.h"

namespace infer::test {
namespace {

constexpr int kThreads = 3;
constexpr int64_t kContext = 64;

// What is compiled, and then changed. The last two have steps on a device with a memory and a queue
// of its own.
struct Original {
  const char* policy;
  std::vector<std::string> place;
};
std::vector<Original> Originals() {
  return {{"parallel", {}},
          {"auto", {}},
          {"parallel", {}},
          {"tutorial", {}},
          {"simd", {}},
          {"scalar", {"layer=1=test"}},
          {"parallel", {"op=linear,layer>=1=test"}}};
}

using Logits = std::vector<std::vector<float>>;

// Of a prompt that takes several chunks, and of two more tokens.
absl::StatusOr<Logits> RunAll(Session& session) {
  std::vector<int32_t> prompt(13);
  std::iota(prompt.begin(), prompt.end(), 300);
  Logits logits;
  session.Clear();
  if (absl::Status status = session.Prefill(prompt); !status.ok()) return status;
  logits.push_back(LogitsOf(session));
  for (int32_t id : {5, 99}) {
    if (absl::Status status = session.Decode(id); !status.ok()) return status;
    logits.push_back(LogitsOf(session));
  }
  return logits;
}

bool SameBits(const Logits& a, const Logits& b) {
  return std::ranges::equal(a, b, [](const std::vector<float>& x, const std::vector<float>& y) {
    return x.size() == y.size() && std::memcmp(x.data(), y.data(), x.size() * sizeof(float)) == 0;
  });
}

class Campaign {
 public:
  Campaign() : model_("") {
    ThreadTeamOptions team;
    team.threads = kThreads;
    std::vector<std::unique_ptr<Backend>> more;
    more.push_back(std::make_unique<TestBackend>(TestPace::kLazy));
    registry_ = MakeKernelRegistry(team, ThreadsBy::kTeam, std::move(more)).value();
    for (const Original& original : Originals()) {
      CompileModelOptions options;
      options.policy = original.policy;
      options.place = original.place;
      options.chunk = 8;
      options.context = kContext;
      originals_.push_back(CompileModel(model_.file(), *registry_, options).value());
      expected_.push_back(RunAll(*Load(CloneProgram(originals_.back())).value()).value());
    }
  }

  void Try(uint64_t seed, CampaignResult* result) {
    std::mt19937_64 random(seed);
    const size_t which = seed % originals_.size();
    Program program = CloneProgram(originals_[which]);
    const Mutation mutation = Mutate(random, *registry_, &program);
    absl::StatusOr<std::unique_ptr<Session>> session = Accept(std::move(program));
    if (!session.ok()) {
      ++result->refused;
      return;
    }
    ++result->accepted;
    ++result->accepted_by_field[mutation.what];
    const absl::StatusOr<Logits> once = RunAll(**session), again = RunAll(**session);
    std::string problem;
    if (!once.ok() || !again.ok()) {
      // A call may be outside the ranges that the mutation left, or the prompt longer than the
      // context; anything else should have been refused at load.
      const absl::Status& status = once.ok() ? again.status() : once.status();
      const bool refuses_the_call =
          absl::IsInvalidArgument(status) || absl::IsResourceExhausted(status);
      if (once.ok() || !refuses_the_call) problem = status.ToString();
    } else if (!SameBits(*once, *again)) {
      problem = "differs from run to run";
    } else if (mutation.keeps_numbers && !SameBits(*once, expected_[which])) {
      problem = "computes something else";
    }
    if (problem.empty()) return;
    StrAppend(&result->failures, "original ", which, ", seed ", seed, ": ", mutation.what, ": ",
              problem, "\n");
  }

 private:
  absl::StatusOr<std::unique_ptr<Session>> Load(Program program) const {
    SessionOptions options;
    options.context = std::min(program.symbols[Symbol::kS].max, kContext);
    return Session::CreateAlone(std::move(program), model_.weights(), *registry_, options);
  }

  // As the loader of a file does it.
  absl::StatusOr<std::unique_ptr<Session>> Accept(Program program) const {
    if (absl::Status status = Verify(program); !status.ok()) return status;
    return Load(std::move(program));
  }

  LoadedModel model_;
  std::unique_ptr<KernelRegistry> registry_;
  std::vector<Program> originals_;
  std::vector<Logits> expected_;
};

}  // namespace

CampaignResult RunCampaign(uint64_t first, int64_t count, const CampaignProgress& progress) {
  Campaign campaign;
  CampaignResult result;
  for (uint64_t seed = first; seed < first + static_cast<uint64_t>(count); ++seed) {
    if (progress) progress(seed, result);
    campaign.Try(seed, &result);
  }
  return result;
}

}  // namespace infer::test
