// SPDX-License-Identifier: Apache-2.0
//
// With an invariant policy and everything on the card, the logits of a sequence have the same bits
// however its prompt is cut, whatever else is in the calls, however the cache lies in memory, and
// in every run. INFER_TEST_PROMPTS sets the number of prompts for each weight type (50 in a full
// run on a card) and INFER_TEST_RUNS how often each is run (20). The stand-in, which takes a second
// for a token, gets one short prompt, three weight types and one type of cache.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <cstring>
#include <random>
#include <string>
#include <vector>

#include "ir/base/strings.h"
#include "runtime/engine.h"
#include "tests/backends/cuda/registry.h"
#include "tests/model/loaded_model.h"
#include "tools/synth/synth.h"

namespace infer::cuda {
namespace {

using test::LoadedModel;
using test::LogitsOf;

constexpr int64_t kContext = 400;

int FromEnv(const char* name, int otherwise) {
  const char* text = std::getenv(name);
  return text == nullptr ? otherwise : std::max(1, std::atoi(text));
}
int Prompts() { return FromEnv("INFER_TEST_PROMPTS", 1); }
int Runs() { return FromEnv("INFER_TEST_RUNS", 1); }

// Two layers with two query heads for each key and value.
std::string WriteModel(std::string_view type) {
  SynthOptions options;
  options.shape = {
      .layers = 2, .hidden = 256, .heads = 4, .kv_heads = 2, .head_dim = 64, .feed_forward = 768};
  options.type = *FindWeightType(type);
  options.vocabulary_kind = VocabularyKind::kSmall;
  options.seed = 7;
  options.output_path = StrCat(::testing::TempDir(), "/cuda_invariance_", type, ".gguf");
  const absl::Status status = WriteSynthModel(options);
  EXPECT_TRUE(status.ok()) << status;
  return options.output_path;
}

CompileModelOptions Options(int64_t chunk) {
  CompileModelOptions options = {.policy = "cuda", .context = kContext, .chunk = chunk};
  options.invariant = true;
  return options;
}

// On a card the first prompt has several parts of a history.
std::vector<int32_t> RandomPrompt(std::mt19937& random, bool is_first) {
  std::vector<int32_t> ids(IsEmulated() ? 11 : is_first ? 300 : 1 + random() % 60);
  for (int32_t& id : ids) id = static_cast<int32_t>(random() % 256);
  return ids;
}

// How many tokens each call gets.
std::vector<std::vector<size_t>> Cuts(std::mt19937& random) {
  if (IsEmulated()) return {{1}, {9, 2}};
  return {{1}, {2, 3, 4}, {9, 8, 1}, {1 + random() % 17}};
}

bool SameBits(std::span<const float> a, std::span<const float> b) {
  return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size_bytes()) == 0;
}

// `fed`: how many tokens of the prompt each call gets; the last one is repeated.
std::vector<float> LogitsAfter(Session& session, std::span<const int32_t> prompt,
                               std::span<const size_t> fed) {
  session.Clear();
  size_t at = 0;
  for (size_t call = 0; at < prompt.size(); ++call) {
    at = std::min(prompt.size(), at + fed[std::min(call, fed.size() - 1)]);
    EXPECT_TRUE(session.Prefill(prompt.first(at)).ok());
  }
  return LogitsOf(session);
}

class CudaInvariance : public ::testing::TestWithParam<std::string> {
 protected:
  void SetUp() override {
    if (Cuda().backend == nullptr) GTEST_SKIP() << Cuda().why_not;
  }
};

TEST_P(CudaInvariance, LogitsDoNotDependOnCallsPagesOrBatches) {
  const LoadedModel model(WriteModel(GetParam()), RegistryWithCuda());
  for (const DType kv : {DType::kF16, DType::kQ8_0}) {
    if (IsEmulated() && kv != DType::kF16) continue;
    CompileModelOptions options = Options(64);
    options.kv_type = kv;
    auto session = model.NewSession(options);
    for (const Regime& regime : session->program().regimes) {
      for (const Node* node : regime.graph.nodes()) {
        if (!node->placement() || node->op().traits.view) continue;
        EXPECT_EQ(node->placement()->target, Target::kCuda) << node->placement()->kernel;
      }
    }
    auto paged = model.NewSession(options, {.block_positions = 5});
    options.chunk = kContext;
    options.sequences = options.logit_rows = 3;
    auto executable =
        Executable::CreateAlone(model.Compile(options), model.weights(), model.registry());
    ASSERT_TRUE(executable.ok()) << executable.status();
    auto engine =
        Engine::Create(*executable, {.context = kContext, .sequences = 3, .block_positions = 16});
    ASSERT_TRUE(engine.ok()) << engine.status();

    std::mt19937 random(static_cast<uint32_t>(kv));
    for (int i = 0; i < Prompts(); ++i) {
      const std::vector<int32_t> prompt = RandomPrompt(random, i == 0);
      SCOPED_TRACE(StrCat(Name(kv), ", ", prompt.size(), " tokens"));
      const std::vector<float> expected = LogitsAfter(*session, prompt, std::array<size_t, 1>{64});
      for (int run = 0; run < Runs(); ++run) {
        for (const std::vector<size_t>& fed : Cuts(random)) {
          EXPECT_TRUE(SameBits(LogitsAfter(*session, prompt, fed), expected)) << fed[0];
          if (IsEmulated() && fed[0] == 1) continue;
          EXPECT_TRUE(SameBits(LogitsAfter(*paged, prompt, fed), expected)) << "paged " << fed[0];
        }
        // Beside two others, of which one has many tokens.
        std::vector<SequenceId> ids;
        for (int s = 0; s < 3; ++s) ids.push_back((*engine)->NewSequence().value());
        const std::vector<int32_t> other(IsEmulated() ? 4 : 20, 3);
        const size_t first = prompt.size() / 2;
        const StepRequest both[] = {{ids[0], other, 1},
                                    {ids[1], std::span(prompt).first(first + 1), 1}};
        ASSERT_TRUE((*engine)->Step(both).ok());
        std::vector<float> found(expected.size());
        std::ranges::copy((*engine)->logits(1), found.begin());
        if (first + 1 < prompt.size()) {
          const StepRequest rest[] = {{ids[0], std::span(other).first(1), 1},
                                      {ids[1], std::span(prompt).subspan(first + 1), 1},
                                      {ids[2], std::span(other).first(3), 1}};
          ASSERT_TRUE((*engine)->Step(rest).ok());
          std::ranges::copy((*engine)->logits(1), found.begin());
        }
        EXPECT_TRUE(SameBits(found, expected)) << "in a batch";
        for (SequenceId id : ids) (*engine)->Release(id);
      }
    }
  }
}

std::vector<std::string> Types() {
  if (IsEmulated()) return {"q8_0", "q4_k", "f16"};
  return {"q8_0", "q4_k", "f16", "f32", "bf16", "q4_0", "q5_k", "q6_k"};
}
INSTANTIATE_TEST_SUITE_P(Types, CudaInvariance, ::testing::ValuesIn(Types()),
                         [](const auto& test) { return test.param; });

}  // namespace
}  // namespace infer::cuda
