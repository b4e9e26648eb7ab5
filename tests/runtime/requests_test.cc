// SPDX-License-Identifier: Apache-2.0
//
// The same request gives the same bits alone and among 15 others of one engine, whatever the others
// do: prompts in chunks, sampled and greedy tokens, drafts. INFER_TEST_REQUESTS sets the number of
// requests (1,000 in a full run).
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <optional>
#include <random>
#include <vector>

#include "runtime/draft_run.h"
#include "runtime/engine.h"
#include "runtime/ngram_drafter.h"
#include "runtime/sampler.h"
#include "tests/model/loaded_model.h"

namespace infer {
namespace {

using test::LoadedModel;

constexpr int kSlots = 16;
constexpr int64_t kRequestContext = 160;

int Requests() {
  const char* text = std::getenv("INFER_TEST_REQUESTS");
  return text == nullptr ? 32 : std::max(1, std::atoi(text));
}

struct Request {
  std::vector<int32_t> prompt;
  int64_t tokens = 0;
  SamplerOptions sampler;
  bool drafts = false;
};

Request RandomRequest(std::mt19937& random) {
  Request request;
  request.prompt.resize(1 + random() % 60);
  for (int32_t& id : request.prompt) id = static_cast<int32_t>(300 + random() % 500);
  const auto half = static_cast<std::ptrdiff_t>(request.prompt.size() / 2);
  request.prompt.insert(request.prompt.end(), request.prompt.begin(),
                        request.prompt.begin() + half);
  request.tokens = 1 + static_cast<int64_t>(random() % 24);
  request.sampler.temperature = random() % 2 == 0 ? 0 : 0.8;
  request.sampler.seed = random();
  request.drafts = random() % 2 == 0;
  return request;
}

// What a request is to give: tokens, and all bits of the logits that they were chosen from.
struct Answer {
  std::vector<int32_t> ids;
  std::vector<float> logits;
  bool operator==(const Answer& other) const {
    return ids == other.ids && logits.size() == other.logits.size() &&
           std::memcmp(logits.data(), other.logits.data(), logits.size() * sizeof(float)) == 0;
  }
};

// A request in progress.
class Running {
 public:
  Running(Engine* engine, const Request& request, std::mt19937* random)
      : engine_(engine),
        request_(request),
        random_(random),
        sequence_(engine->NewSequence().value()),
        sampler_(
            Sampler::Create(request.sampler, static_cast<int32_t>(engine->vocabulary())).value()),
        run_({.drafter = request.drafts ? &drafter_ : nullptr}),
        text_(request.prompt) {}
  ~Running() { engine_->Release(sequence_); }
  Running(const Running&) = delete;
  Running& operator=(const Running&) = delete;

  bool done() const { return std::ssize(answer_.ids) == request_.tokens; }
  const Answer& answer() const { return answer_; }
  const Request& request() const { return request_; }

  StepRequest Next() {
    const auto held = static_cast<size_t>(std::ssize(engine_->tokens(sequence_)));
    if (held < request_.prompt.size()) {
      const size_t left = request_.prompt.size() - held;
      const size_t count = std::min(left, size_t{1} + (*random_)() % 20);
      return {sequence_, std::span(request_.prompt).subspan(held, count), 1};
    }
    const DraftCounts ended = run_.End();
    engine_->Rewind(sequence_,
                    std::ssize(engine_->tokens(sequence_)) - (ended.proposed - ended.accepted));
    const std::span<const int32_t> call =
        run_.NextCall(text_, static_cast<int64_t>((*random_)() % 8)).value();
    return {sequence_, call, static_cast<int32_t>(call.size())};
  }

  // `index` is that of the request in the step that just ran.
  void Ran(size_t index) {
    if (engine_->tokens(sequence_).size() < request_.prompt.size()) return;
    do {
      const std::span<const float> row = engine_->logits(index, run_.row());
      answer_.logits.insert(answer_.logits.end(), row.begin(), row.end());
      const int32_t id = sampler_.Sample(row).value().id;
      answer_.ids.push_back(id);
      text_.push_back(id);
    } while (!done() && run_.Continue(text_.back()));
  }

 private:
  Engine* engine_;
  Request request_;
  std::mt19937* random_;
  SequenceId sequence_;
  Sampler sampler_;
  NgramDrafter drafter_{1024};
  DraftRun run_;
  std::vector<int32_t> text_;
  Answer answer_;
};

Answer Alone(Session& session, const Request& request) {
  Answer answer;
  Sampler sampler =
      Sampler::Create(request.sampler, static_cast<int32_t>(session.vocabulary())).value();
  session.Clear();
  EXPECT_TRUE(session.Prefill(request.prompt).ok());
  while (true) {
    const std::span<const float> row = session.logits();
    answer.logits.insert(answer.logits.end(), row.begin(), row.end());
    answer.ids.push_back(sampler.Sample(row).value().id);
    if (std::ssize(answer.ids) == request.tokens) return answer;
    EXPECT_TRUE(session.Decode(answer.ids.back()).ok());
  }
}

TEST(Requests, GiveTheSameBitsAloneAndAmongOthers) {
  const LoadedModel model("");
  CompileModelOptions options = {.policy = "auto", .context = kRequestContext, .chunk = 256};
  options.invariant = true;
  auto alone = model.NewSession(options);
  options.sequences = kSlots;
  options.logit_rows = kSlots * (1 + kMaxDraft);
  auto executable =
      Executable::CreateAlone(model.Compile(options), model.weights(), model.registry());
  ASSERT_TRUE(executable.ok()) << executable.status();
  for (const int32_t block : {0, 16}) {
    auto engine = Engine::Create(
        *executable, {.context = kRequestContext, .sequences = kSlots, .block_positions = block});
    ASSERT_TRUE(engine.ok()) << engine.status();
    std::mt19937 random(static_cast<uint32_t>(block));
    std::vector<std::unique_ptr<Running>> slots(kSlots);
    for (int started = 0, finished = 0; finished < Requests() / 2;) {
      std::vector<StepRequest> step;
      std::vector<Running*> of;
      for (std::unique_ptr<Running>& slot : slots) {
        if (slot == nullptr && started < Requests() / 2) {
          slot = std::make_unique<Running>(engine->get(), RandomRequest(random), &random);
          ++started;
        }
        if (slot == nullptr || random() % 8 == 0) continue;  // some wait, as a scheduler has it
        step.push_back(slot->Next());
        of.push_back(slot.get());
      }
      if (step.empty()) continue;
      const absl::Status ran = (*engine)->Step(step);
      ASSERT_TRUE(ran.ok()) << ran;
      for (size_t i = 0; i < of.size(); ++i) of[i]->Ran(i);
      for (std::unique_ptr<Running>& slot : slots) {
        if (slot == nullptr || !slot->done()) continue;
        EXPECT_TRUE(slot->answer() == Alone(*alone, slot->request())) << "request " << finished;
        ++finished;
        slot.reset();
      }
    }
  }
}

}  // namespace
}  // namespace infer
