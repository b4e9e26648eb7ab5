// SPDX-License-Identifier: Apache-2.0
//
// A divided model gives the bits of one process, for any number of ranks. The ranks run in threads
// of this process. INFER_TEST_PROMPTS sets the number of random prompts for each weight type (50 in
// a full run).
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <random>
#include <string>
#include <vector>

#include "backends/simd/isa/level.h"
#include "backends/simd/levels/choose_level.h"
#include "ir/base/strings.h"
#include "ir/graph/plan.h"
#include "ir/ops/message.h"
#include "ir/ops/ops.h"
#include "runtime/cpu_layout.h"
#include "tests/model/loaded_model.h"
#include "tests/model/rank_team.h"
#include "tests/model/shared_norms.h"
#include "tools/synth/synth.h"

namespace infer {
namespace {

using test::LoadedModel;
using test::LogitsOf;
using test::RankTeam;

int ShardPrompts() {
  const char* text = std::getenv("INFER_TEST_PROMPTS");
  return text == nullptr ? 2 : std::max(1, std::atoi(text));
}

// Eight key/value heads, so that up to eight ranks are possible.
std::string WriteModel(std::string_view type, bool experts) {
  SynthOptions options;
  options.shape = {
      .layers = 2, .hidden = 256, .heads = 16, .kv_heads = 8, .head_dim = 32, .feed_forward = 512};
  options.shape.tied = !experts;
  if (experts) {
    options.shape.experts = 8;
    options.shape.experts_used = 2;
    options.shape.expert_feed_forward = 256;
  }
  options.type = *FindWeightType(type);
  options.vocabulary_kind = VocabularyKind::kSmall;
  options.seed = 11;
  options.output_path =
      StrCat(::testing::TempDir(), "/shards_", type, experts ? "_moe" : "", ".gguf");
  const absl::Status status = WriteSynthModel(options);
  EXPECT_TRUE(status.ok()) << status;
  return options.output_path;
}

std::vector<int32_t> RandomPrompt(std::mt19937& random) {
  std::vector<int32_t> ids(1 + random() % 90);
  for (int32_t& id : ids) id = static_cast<int32_t>(random() % 256);
  return ids;
}

// The logits after the prompt and after each of three more tokens.
std::vector<std::vector<float>> RunPrompt(Session& session, const std::vector<int32_t>& prompt) {
  std::vector<std::vector<float>> all;
  absl::Status status = session.Prefill(prompt);
  for (int32_t token = 1; status.ok() && token <= 3; ++token) {
    all.push_back(LogitsOf(session));
    status = session.Decode(token);
  }
  EXPECT_TRUE(status.ok()) << status;
  if (status.ok()) all.push_back(LogitsOf(session));
  return all;
}

bool SameBits(const std::vector<std::vector<float>>& a, const std::vector<std::vector<float>>& b) {
  return a.size() == b.size() && std::ranges::equal(a, b, [](const auto& x, const auto& y) {
           return x.size() == y.size() &&
                  std::memcmp(x.data(), y.data(), x.size() * sizeof(float)) == 0;
         });
}

struct ShardCase {
  std::string type;
  bool experts;
};

class Shards : public ::testing::TestWithParam<ShardCase> {};

// So slow that messages are sent as products round them.
std::string SlowNetwork() {
  return test::WriteMachine(
      "network",
      StrCat("target { target: RANKS step_ns: 500 }\n",
             "kernel { target: RANKS gb_s: 0.02 cached_gb_s: 0.02 }\n", test::SlowOp("swiglu")));
}

// Messages that are sent in a shorter form than f32.
int RoundedMessages(const LoadedModel& model, const CompileModelOptions& options) {
  const Program program = model.Compile(options);
  int rounded = 0;
  for (const Regime& regime : program.regimes) {
    for (const Node* node : regime.graph.NodesOf(ops::kAllGather)) {
      rounded += ops::MessageOf(node->attrs()).name.empty() ? 0 : 1;
    }
  }
  return rounded;
}

// Results of this collective that stay rounded.
int StayingResults(const Program& program, const OpDef& op) {
  int staying = 0;
  for (const Regime& regime : program.regimes) {
    for (const Node* node : regime.graph.NodesOf(op)) {
      for (const ValueType& type : node->ResultTypes()) staying += type.is_tensor(DType::kBF16);
    }
  }
  return staying;
}

// Whether products of the model's weights read rows of bf16 at the chosen CPU level.
bool TakeRoundedRows(const ShardCase& tested) {
  const simd::Level* level = simd::ChosenLevel().level;
  const bool has_tiles = level != nullptr && level->linear_tiles != nullptr &&
                         level->linear_tiles(DType::kQ8_0) != nullptr &&
                         level->linear_tiles(DType::kQ8_0)->bf16_elements > 0;
  return has_tiles && tested.type != "f32" && !tested.experts;  // which have none
}

TEST_P(Shards, GiveTheBitsOfOneProcess) {
  const LoadedModel model(WriteModel(GetParam().type, GetParam().experts));
  const CompileModelOptions whole = {.policy = "auto", .context = 128, .chunk = 64};
  const std::unique_ptr<Session> alone = model.NewSession(whole);
  for (int64_t ranks : {1, 2, 4, 8}) {
    CompileModelOptions options = whole;
    options.shard.ranks = ranks;
    const RankTeam team(model.file(), options);
    ASSERT_TRUE(team.status().ok()) << team.status();
    options.machine = SlowNetwork();
    const RankTeam rounding(model.file(), options, RankTeam::Exchange::kSent);
    ASSERT_TRUE(rounding.status().ok()) << rounding.status();
    if (GetParam().type == "q8_0" && ranks > 1 && simd::ChosenLevel().level != nullptr) {
      EXPECT_GT(RoundedMessages(model, options), 0);
    }
    const double share = static_cast<double>(team.packed_bytes()) /
                         static_cast<double>(alone->packed_weights().bytes());
    EXPECT_LE(share, ranks == 1 ? 1.0 : ranks == 2 ? 0.55 : 0.30) << ranks << " ranks";
    std::mt19937 random(static_cast<uint32_t>(ranks));
    for (int i = 0; i < ShardPrompts(); ++i) {
      const std::vector<int32_t> prompt = RandomPrompt(random);
      const auto expected = RunPrompt(*alone, prompt);
      EXPECT_TRUE(SameBits(RunPrompt(team.session(), prompt), expected))
          << ranks << " ranks, prompt " << i << " of " << prompt.size() << " tokens";
      EXPECT_TRUE(SameBits(RunPrompt(rounding.session(), prompt), expected))
          << ranks << " ranks, rounded messages, prompt " << i;
    }
  }
}

TEST_P(Shards, GiveTheBitsOfOneProcessWithSharedRows) {
  const LoadedModel model(WriteModel(GetParam().type, GetParam().experts));
  const CompileModelOptions whole = test::WithSharedNorms({.context = 128, .chunk = 32});
  const std::unique_ptr<Session> alone = model.NewSession(whole);
  for (int64_t ranks : {2, 8}) {
    CompileModelOptions options = whole;
    options.shard.ranks = ranks;
    size_t shared = 0;
    for (const Regime& regime : model.Compile(options).regimes) {
      shared += regime.graph.NodesOf(ops::kAllRows).size();
    }
    EXPECT_GT(shared, 0u) << ranks << " ranks";
    if (TakeRoundedRows(GetParam())) {
      const Program program = model.Compile(options);
      EXPECT_GT(StayingResults(program, ops::kAllGather), 0) << ranks << " ranks";
      EXPECT_GT(StayingResults(program, ops::kAllRows), 0) << ranks << " ranks";
    }
    const RankTeam common(model.file(), options);
    ASSERT_TRUE(common.status().ok()) << common.status();
    const RankTeam sent(model.file(), options, RankTeam::Exchange::kSent);
    ASSERT_TRUE(sent.status().ok()) << sent.status();
    std::mt19937 random(static_cast<uint32_t>(ranks));
    for (int i = 0; i < ShardPrompts(); ++i) {
      const std::vector<int32_t> prompt = RandomPrompt(random);
      const auto expected = RunPrompt(*alone, prompt);
      EXPECT_TRUE(SameBits(RunPrompt(common.session(), prompt), expected))
          << ranks << " ranks, prompt " << i << " of " << prompt.size() << " tokens";
      EXPECT_TRUE(SameBits(RunPrompt(sent.session(), prompt), expected))
          << ranks << " ranks without common memory, prompt " << i;
    }
  }
}

// Ranks whose machines differ may have other regimes, and so other places for what they exchange.
TEST(ShardsOfMachines, ThatDifferDoNotMixUpTheirMemory) {
  const LoadedModel model(WriteModel("q8_0", /*experts=*/false));
  CompileModelOptions first = {.policy = "parallel", .context = 128, .chunk = 32};
  first.shard = {.ranks = 2, .mode = ShardPolicy::Mode::kFast};
  CompileModelOptions second = first;
  first.place = {"op=swiglu,rows<8=scalar"};  // a regime of its own for few tokens
  second.policy = "scalar";
  ASSERT_NE(CpuLayout(model.Compile(first)).hash, CpuLayout(model.Compile(second)).hash);
  const RankTeam common(model.file(), first, RankTeam::Exchange::kCommon, second);
  ASSERT_TRUE(common.status().ok()) << common.status();
  const RankTeam sent(model.file(), first, RankTeam::Exchange::kSent, second);
  ASSERT_TRUE(sent.status().ok()) << sent.status();
  std::mt19937 random(3);
  for (int i = 0; i < 5; ++i) {
    const std::vector<int32_t> prompt = RandomPrompt(random);
    EXPECT_TRUE(SameBits(RunPrompt(common.session(), prompt), RunPrompt(sent.session(), prompt)))
        << "prompt " << i << " of " << prompt.size() << " tokens";
  }
}

// Sums are rounded in another order: the logits differ by a little, and not by nothing.
TEST_P(Shards, AreCloseInFastMode) {
  const LoadedModel model(WriteModel(GetParam().type, GetParam().experts));
  CompileModelOptions options = {
      .policy = "auto", .activations = Policy::Activations::kFloat, .context = 128, .chunk = 16};
  const std::unique_ptr<Session> alone = model.NewSession(options);
  options.shard = {.ranks = 2, .mode = ShardPolicy::Mode::kFast};
  const RankTeam team(model.file(), options);
  ASSERT_TRUE(team.status().ok()) << team.status();
  std::mt19937 random(5);
  const std::vector<int32_t> prompt = RandomPrompt(random);
  const auto expected = RunPrompt(*alone, prompt);
  const auto found = RunPrompt(team.session(), prompt);
  ASSERT_EQ(found.size(), expected.size());
  for (size_t i = 0; i < found.size(); ++i) {
    float largest = 0, difference = 0;
    for (size_t j = 0; j < found[i].size(); ++j) {
      largest = std::max(largest, std::abs(expected[i][j]));
      difference = std::max(difference, std::abs(expected[i][j] - found[i][j]));
    }
    EXPECT_LE(difference, 1e-3f * largest) << "step " << i;
  }
}

std::vector<ShardCase> ShardCases() {
  std::vector<ShardCase> cases;
  const bool full = std::getenv("INFER_TEST_PROMPTS") != nullptr;
  for (const WeightType& type : AllWeightTypes()) {
    const std::string name(type.name);
    const bool everyday = name == "q8_0" || name == "q4_k_m" || name == "f16";
    if (full || everyday) cases.push_back({name, false});
    if (full || name == "q8_0") cases.push_back({name, true});
  }
  return cases;
}

INSTANTIATE_TEST_SUITE_P(Types, Shards, ::testing::ValuesIn(ShardCases()), [](const auto& tested) {
  return tested.param.type + (tested.param.experts ? "_moe" : "");
});

TEST(BundledModel, RunsInTwoRanksAndRefusesFour) {
  const LoadedModel model("");
  CompileModelOptions options = {.policy = "auto", .context = 256};
  const std::unique_ptr<Session> alone = model.NewSession(options);
  options.shard.ranks = 2;
  const RankTeam team(model.file(), options);
  ASSERT_TRUE(team.status().ok()) << team.status();
  const std::vector<int32_t> prompt = {1, 50, 7, 300, 12};
  EXPECT_EQ(test::ContinueGreedily(team.session(), prompt, 24),
            test::ContinueGreedily(*alone, prompt, 24));
  EXPECT_EQ(LogitsOf(team.session()), LogitsOf(*alone));
  options.shard.ranks = 4;
  const absl::Status refused = CompileModel(model.file(), model.registry(), options).status();
  EXPECT_NE(refused.message().find("2 key/value heads, which 4 ranks cannot share evenly; "
                                   "possible: 2"),
            std::string::npos)
      << refused;
}

}  // namespace
}  // namespace infer
