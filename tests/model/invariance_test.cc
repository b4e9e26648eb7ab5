// SPDX-License-Identifier: Apache-2.0
//
// With an invariant policy, the logits of a sequence have the same bits however its prompt is cut,
// whatever else is in the calls, and however the cache lies in memory. INFER_TEST_PROMPTS sets the
// number of random prompts for each weight type (200 in a full run).
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "backends/backends.h"
#include "backends/formats/dequantize_row.h"
#include "backends/simd/levels/choose_level.h"
#include "ir/base/strings.h"
#include "ir/program/varying_node.h"
#include "ir/verify/verifier.h"
#include "runtime/engine.h"
#include "tests/model/loaded_model.h"
#include "tools/api/thread_choice.h"
#include "tools/synth/synth.h"

namespace infer {
namespace {

using test::LoadedModel;
using test::LogitsOf;

constexpr int64_t kInvarianceContext = 700;
constexpr int64_t kChunks[] = {1, 2, 3, 7, 8, 16, 64, 512};

int Prompts() {
  const char* text = std::getenv("INFER_TEST_PROMPTS");
  return text == nullptr ? 1 : std::max(1, std::atoi(text));
}

// Two layers of the shapes that matter: rows of whole blocks of 256, two query heads for each key
// and value.
std::string WriteTypedModel(std::string_view type) {
  SynthOptions options;
  options.shape = {
      .layers = 2, .hidden = 256, .heads = 4, .kv_heads = 2, .head_dim = 64, .feed_forward = 512};
  options.type = *FindWeightType(type);
  options.vocabulary_kind = VocabularyKind::kSmall;
  options.seed = 7;
  options.output_path = StrCat(::testing::TempDir(), "/invariance_", type, ".gguf");
  const absl::Status status = WriteSynthModel(options);
  EXPECT_TRUE(status.ok()) << status;
  return options.output_path;
}

std::vector<int32_t> RandomPrompt(std::mt19937& random, size_t tokens) {
  std::vector<int32_t> ids(tokens);
  for (int32_t& id : ids) id = static_cast<int32_t>(random() % 256);
  return ids;
}

bool SameBits(const std::vector<float>& a, const std::vector<float>& b) {
  return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size() * sizeof(float)) == 0;
}

class Invariance : public ::testing::TestWithParam<std::string> {
 protected:
  // The logits after each of `steps`, which feed so many tokens of the prompt to a sequence.
  static std::vector<float> LogitsAfter(Session& session, const std::vector<int32_t>& prompt,
                                        const std::vector<int64_t>& steps) {
    session.Clear();
    size_t at = 0;
    for (int64_t step : steps) {
      at = std::min(prompt.size(), at + static_cast<size_t>(step));
      EXPECT_TRUE(session.Prefill(std::span(prompt).first(at)).ok());
    }
    return LogitsOf(session);
  }
};

TEST_P(Invariance, LogitsDoNotDependOnChunksAndPages) {
  const LoadedModel model(WriteTypedModel(GetParam()));
  for (DType kv : {DType::kF16, DType::kF32, DType::kQ8_0}) {
    std::mt19937 random(static_cast<uint32_t>(kv));
    CompileModelOptions options = {.policy = "auto", .context = kInvarianceContext};
    options.invariant = true;
    options.kv_type = kv;
    std::vector<std::unique_ptr<Session>> sessions;
    for (int64_t chunk : kChunks) {
      options.chunk = chunk;
      sessions.push_back(model.NewSession(options));
    }
    for (int32_t block : {5, 16, 64}) {
      options.chunk = 33;
      sessions.push_back(model.NewSession(options, {.block_positions = block}));
    }
    for (int i = 0; i < Prompts(); ++i) {
      // The first is longer than a chunk of attention.
      const auto tokens = static_cast<int64_t>(i == 0 ? 257 + random() % 80 : 1 + random() % 60);
      const std::vector<int32_t> prompt = RandomPrompt(random, static_cast<size_t>(tokens));
      const std::vector<float> expected = LogitsAfter(*sessions[0], prompt, {tokens});
      for (size_t s = 1; s < sessions.size(); ++s) {
        EXPECT_TRUE(SameBits(LogitsAfter(*sessions[s], prompt, {tokens}), expected))
            << Name(kv) << ", " << tokens << " tokens, session " << s;
        std::vector<int64_t> steps;
        for (int64_t left = tokens; left > 0; left -= steps.back()) {
          steps.push_back(1 + static_cast<int64_t>(random() % std::min<int64_t>(left, 40)));
        }
        EXPECT_TRUE(SameBits(LogitsAfter(*sessions[s], prompt, steps), expected))
            << Name(kv) << ", " << tokens << " tokens in random steps, session " << s;
      }
    }
  }
}

TEST_P(Invariance, LogitsDoNotDependOnTheOthersOfABatch) {
  const LoadedModel model(WriteTypedModel(GetParam()));
  constexpr int kBatchSequences = 16;
  CompileModelOptions options = {.policy = "auto", .context = kInvarianceContext, .chunk = 128};
  options.invariant = true;
  options.sequences = kBatchSequences;
  options.logit_rows = kBatchSequences;
  auto executable =
      Executable::CreateAlone(model.Compile(options), model.weights(), model.registry());
  ASSERT_TRUE(executable.ok()) << executable.status();
  std::mt19937 random(3);
  for (int32_t block : {0, 16}) {
    auto engine = Engine::Create(
        *executable,
        {.context = kInvarianceContext, .sequences = kBatchSequences, .block_positions = block});
    ASSERT_TRUE(engine.ok()) << engine.status();
    CompileModelOptions alone_options = {
        .policy = "auto", .context = kInvarianceContext, .chunk = 128};
    alone_options.invariant = true;
    auto alone = model.NewSession(alone_options);
    for (int i = 0; i < (Prompts() + 1) / 2; ++i) {
      std::vector<SequenceId> ids;
      std::vector<std::vector<int32_t>> prompts;
      for (int s = 0; s < kBatchSequences; ++s) {
        ids.push_back((*engine)->NewSequence().value());
        prompts.push_back(RandomPrompt(random, 2 + random() % 300));
      }
      // Each in pieces of a few tokens, all together, until all are at their end.
      std::vector<size_t> at(kBatchSequences, 0);
      while (true) {
        std::vector<StepRequest> requests;
        std::vector<int> of;
        size_t room = 128;
        for (int s = 0; s < kBatchSequences; ++s) {
          const size_t left = prompts[s].size() - at[s];
          const size_t take = std::min({left, room, size_t{1} + random() % 30});
          if (take == 0) continue;
          requests.push_back({ids[s], std::span(prompts[s]).subspan(at[s], take), 1});
          of.push_back(s);
          at[s] += take;
          room -= take;
        }
        if (requests.empty()) break;
        ASSERT_TRUE((*engine)->Step(requests).ok());
        for (size_t r = 0; r < requests.size(); ++r) {
          if (at[of[r]] < prompts[of[r]].size()) continue;
          const std::span<const float> row = (*engine)->logits(r);
          ASSERT_TRUE(alone->Prefill(prompts[of[r]]).ok());
          EXPECT_TRUE(SameBits({row.begin(), row.end()}, LogitsOf(*alone)))
              << "sequence " << of[r] << " of " << prompts[of[r]].size() << " tokens";
        }
      }
      for (SequenceId id : ids) (*engine)->Release(id);
    }
  }
}

// A sequence that continues another's prefix, as after a hit of a prefix cache.
TEST_P(Invariance, LogitsDoNotDependOnWhoRanThePrefix) {
  const LoadedModel model(WriteTypedModel(GetParam()));
  CompileModelOptions options = {.policy = "auto", .context = kInvarianceContext, .chunk = 128};
  options.invariant = true;
  auto alone = model.NewSession(options);
  options.sequences = 2;
  auto executable =
      Executable::CreateAlone(model.Compile(options), model.weights(), model.registry());
  ASSERT_TRUE(executable.ok()) << executable.status();
  std::mt19937 random(5);
  for (const int32_t block : {0, 5, 64}) {
    auto engine = Engine::Create(
        *executable, {.context = kInvarianceContext, .sequences = 2, .block_positions = block});
    ASSERT_TRUE(engine.ok()) << engine.status();
    for (int i = 0; i < Prompts(); ++i) {
      const std::vector<int32_t> prompt = RandomPrompt(random, 2 + random() % 120);
      const size_t prefix = 1 + random() % (prompt.size() - 1);
      const SequenceId first = (*engine)->NewSequence().value();
      const StepRequest run{first, std::span(prompt).first(prefix), 1};
      ASSERT_TRUE((*engine)->Step({&run, 1}).ok());
      const SequenceId clone = (*engine)->Clone(first).value();
      const StepRequest rest{clone, std::span(prompt).subspan(prefix), 1};
      ASSERT_TRUE((*engine)->Step({&rest, 1}).ok());
      const std::span<const float> row = (*engine)->logits(0);
      ASSERT_TRUE(alone->Prefill(prompt).ok());
      EXPECT_TRUE(SameBits({row.begin(), row.end()}, LogitsOf(*alone)))
          << prefix << " of " << prompt.size() << " tokens, blocks of " << block;
      (*engine)->Release(first);
      (*engine)->Release(clone);
    }
  }
}

// Decode, drafts and batches of decodes.
TEST_P(Invariance, UpTo16TokensOfACallGiveTheSameBitsByDefault) {
  const LoadedModel model(WriteTypedModel(GetParam()));
  for (DType kv : {DType::kF16, DType::kF32, DType::kQ8_0}) {
    std::vector<std::unique_ptr<Session>> sessions;
    for (int64_t chunk : {1, 2, 3, 4, 5, 7, 8, 11, 15, 16}) {
      CompileModelOptions options = {.policy = "auto", .kv_type = kv, .context = 128};
      options.chunk = chunk;
      if (const Program program = model.Compile(options); FindVaryingNode(program, 16) != nullptr) {
        ASSERT_EQ(simd::ChosenLevel().level->name, "i8mm") << "only its attention and tiles differ";
        GTEST_SKIP() << "level i8mm: kernels for few and many tokens round differently";
      }
      sessions.push_back(model.NewSession(options));
    }
    std::mt19937 random(static_cast<uint32_t>(kv));
    for (int i = 0; i < Prompts(); ++i) {
      const std::vector<int32_t> prompt = RandomPrompt(random, 1 + random() % 60);
      std::vector<float> expected;
      for (const std::unique_ptr<Session>& session : sessions) {
        session->Clear();
        ASSERT_TRUE(session->Prefill(prompt).ok());
        if (expected.empty()) expected = LogitsOf(*session);
        EXPECT_TRUE(SameBits(LogitsOf(*session), expected))
            << Name(kv) << ", " << prompt.size() << " tokens in calls of " << session->max_chunk();
      }
    }
  }
}

std::vector<std::string> TypeNames() {
  std::vector<std::string> names;
  for (DType type : formats::WeightTypes()) names.emplace_back(Name(type));
  return names;
}
INSTANTIATE_TEST_SUITE_P(Types, Invariance, ::testing::ValuesIn(TypeNames()),
                         [](const auto& test) { return test.param; });

// Every target's own kernels, and nodes that are taken apart.
TEST(InvariantPolicies, GiveTheSameBitsForEveryChunkSize) {
  const LoadedModel model("");
  std::mt19937 random(11);
  const std::vector<int32_t> prompt = RandomPrompt(random, 40);
  for (const char* policy : {"scalar", "simd", "parallel", "auto"}) {
    std::vector<float> expected;
    for (int64_t chunk : {1, 3, 8, 40}) {
      CompileModelOptions options = {.policy = policy, .context = 64, .chunk = chunk};
      options.invariant = true;
      auto session = model.NewSession(options);
      ASSERT_TRUE(session->Prefill(prompt).ok());
      if (expected.empty()) expected = LogitsOf(*session);
      EXPECT_TRUE(SameBits(LogitsOf(*session), expected)) << policy << ", chunks of " << chunk;
    }
  }
}

TEST(InvariantPolicies, GiveTheSameBitsForEveryNumberOfThreads) {
  std::mt19937 random(12);
  const std::vector<int32_t> prompt = RandomPrompt(random, 70);
  std::vector<float> expected;
  for (const int64_t threads : {1, 2, 3, 7, 16}) {
    auto registry = MakeKernelRegistry(ChooseThreads({.count = threads}, ReadThreadLimits()));
    ASSERT_TRUE(registry.ok()) << registry.status();
    const LoadedModel model("", *std::move(registry));
    for (const int64_t chunk : {1, 16, 70}) {
      CompileModelOptions options = {.policy = "auto", .context = 96, .chunk = chunk};
      options.invariant = true;
      auto session = model.NewSession(options);
      ASSERT_TRUE(session->Prefill(prompt).ok());
      if (expected.empty()) expected = LogitsOf(*session);
      EXPECT_TRUE(SameBits(LogitsOf(*session), expected))
          << threads << " threads, chunks of " << chunk;
    }
  }
}

TEST(InvariantPolicies, PlaceEachNodeOnKernelsOfOneClass) {
  const LoadedModel model("");
  CompileModelOptions options = {.policy = "auto", .context = 64, .chunk = 64};
  options.invariant = true;
  const Program program = model.Compile(options);
  for (const Regime& regime : program.regimes) {
    for (const Node* node : regime.graph.nodes()) {
      if (!node->placement() || node->op().traits.view) continue;
      EXPECT_NE(node->placement()->kernel_record.numerics, "") << DescribeNode(*node);
    }
  }
}

}  // namespace
}  // namespace infer
