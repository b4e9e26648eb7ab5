// SPDX-License-Identifier: Apache-2.0
//
// A mixture of experts with random weights on every way of running it.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <numeric>
#include <random>
#include <string>
#include <vector>

#include "backends/backends.h"
#include "backends/simd/levels/choose_level.h"
#include "ir/base/strings.h"
#include "runtime/profiler.h"
#include "runtime/step_recorder.h"
#include "tests/model/loaded_model.h"
#include "tools/synth/synth.h"

namespace infer {
namespace {

using test::LoadedModel;
using test::LogitsOf;

std::string WriteModel(std::string_view type) {
  SynthOptions options;
  options.shape = {
      .layers = 2, .hidden = 256, .heads = 4, .kv_heads = 2, .head_dim = 64, .feed_forward = 512};
  options.shape.experts = 8;
  options.shape.experts_used = 2;
  options.shape.expert_feed_forward = 256;
  options.type = *FindWeightType(type);
  options.vocabulary_kind = VocabularyKind::kSmall;
  options.seed = 7;
  options.output_path = StrCat(::testing::TempDir(), "/experts_", type, ".gguf");
  const absl::Status status = WriteSynthModel(options);
  EXPECT_TRUE(status.ok()) << status;
  return options.output_path;
}

std::vector<int32_t> Prompt(size_t tokens) {
  std::mt19937 random(3);
  std::vector<int32_t> ids(tokens);
  for (int32_t& id : ids) id = static_cast<int32_t>(random() % 256);
  return ids;
}

// Logits after a prompt of several chunks and after each of some tokens.
std::vector<std::vector<float>> RunSome(Session& session) {
  std::vector<std::vector<float>> logits;
  EXPECT_TRUE(session.Prefill(Prompt(75)).ok());
  logits.push_back(LogitsOf(session));
  for (int32_t id : {5, 99, 200, 7}) {
    EXPECT_TRUE(session.Decode(id).ok());
    logits.push_back(LogitsOf(session));
  }
  return logits;
}

// The largest difference, as a share of the expected logits' root mean square.
double Difference(const std::vector<std::vector<float>>& found,
                  const std::vector<std::vector<float>>& expected) {
  double worst = 0, squares = 0;
  size_t count = 0;
  for (size_t i = 0; i < expected.size(); ++i) {
    for (size_t k = 0; k < expected[i].size(); ++k) {
      EXPECT_TRUE(std::isfinite(found[i][k]));
      worst = std::max(worst, std::fabs(static_cast<double>(found[i][k]) - expected[i][k]));
      squares += static_cast<double>(expected[i][k]) * expected[i][k];
      ++count;
    }
  }
  return worst / std::sqrt(squares / static_cast<double>(count));
}

// The root mean square of the differences, likewise: one token of another expert counts little.
double MeanDifference(const std::vector<std::vector<float>>& found,
                      const std::vector<std::vector<float>>& expected) {
  double differences = 0, squares = 0;
  for (size_t i = 0; i < expected.size(); ++i) {
    for (size_t k = 0; k < expected[i].size(); ++k) {
      differences += std::pow(static_cast<double>(found[i][k]) - expected[i][k], 2);
      squares += std::pow(static_cast<double>(expected[i][k]), 2);
    }
  }
  return std::sqrt(differences / squares);
}

class ExpertModels : public ::testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    if (simd::ChosenLevel().level == nullptr) GTEST_SKIP() << simd::ChosenLevel().reason;
    model_ = std::make_unique<LoadedModel>(WriteModel(GetParam()));
  }
  std::vector<std::vector<float>> Run(const CompileModelOptions& options) const {
    return RunSome(*model_->NewSession(options));
  }
  std::unique_ptr<LoadedModel> model_;
};

TEST_P(ExpertModels, AgreeWithReference) {
  const auto expected = Run({.policy = "reference", .chunk = 64});
  CompileModelOptions options = {.policy = "simd", .kv_type = DType::kF32, .chunk = 64};
  options.activations = Policy::Activations::kFloat;
  EXPECT_LE(Difference(Run(options), expected), 1e-4);
  options.no_pack_experts = true;
  EXPECT_LE(Difference(Run(options), expected), 1e-4);
  // With rounded activations a token may go to another expert where two are nearly equal.
  options.activations = Policy::Activations::kAuto;
  options.no_pack_experts = false;
  EXPECT_LE(MeanDifference(Run(options), expected), 0.12);
}

TEST_P(ExpertModels, GiveTheSameBitsForAnyNumberOfThreads) {
  const auto expected = Run({.policy = "simd", .chunk = 64});
  for (int threads : {1, 2, 3, 8}) {
    ThreadTeamOptions team;
    team.threads = threads;
    auto registry = MakeKernelRegistry(team, ThreadsBy::kTeam);
    ASSERT_TRUE(registry.ok()) << registry.status();
    auto program = CompileModel(model_->file(), **registry, {.policy = "parallel", .chunk = 64});
    ASSERT_TRUE(program.ok()) << program.status();
    SessionOptions options;
    options.context = program->symbols[Symbol::kS].max;
    auto session =
        Session::CreateAlone(*std::move(program), model_->weights(), **registry, options);
    ASSERT_TRUE(session.ok()) << session.status();
    EXPECT_TRUE(RunSome(**session) == expected) << threads << " threads";
  }
}

TEST_P(ExpertModels, GiveTheSameBitsForAnyChunkIfInvariant) {
  std::vector<std::vector<float>> expected;
  for (int64_t chunk : {1, 3, 16, 64}) {
    CompileModelOptions options = {.policy = "auto", .chunk = chunk};
    options.invariant = true;
    const auto found = Run(options);
    if (expected.empty()) expected = found;
    EXPECT_TRUE(found == expected) << "chunks of " << chunk;
  }
}

INSTANTIATE_TEST_SUITE_P(Types, ExpertModels, ::testing::Values("f32", "f16", "q8_0", "q4_k_m"),
                         [](const auto& type) { return std::string(type.param); });

// A trained model of experts knows text of the kind that it has seen, whatever computes it.
TEST(ExpertModel, KnowsItsText) {
  const LoadedModel model("tiny-tales-moe-q8_0.gguf");
  const Tokenizer tokenizer = *model.file().ReadTokenizer();
  const std::vector<int32_t> ids = *tokenizer.Encode(
      "Once upon a time, a small mole called Ines lived in a small town with crooked chimneys. Her "
      "best friend was a hedgehog called Cosmo, who lived near the town square.");
  double of_reference = 0;
  for (const char* policy : {"reference", "auto"}) {
    auto session = model.NewSession({.policy = policy, .logit_rows = 64});
    ASSERT_TRUE(session->RunWithAllLogits(ids).ok());
    const double likelihood = test::LogLikelihood(*session, ids);
    EXPECT_GT(likelihood, -1.5 * static_cast<double>(ids.size())) << policy;
    if (of_reference == 0) of_reference = likelihood;
    EXPECT_NEAR(likelihood, of_reference, 0.02 * std::abs(of_reference)) << policy;
  }
}

// Every token of random_moe_same goes to the same experts.
void ExpectSameExperts(const Profile& profile) {
  int nodes = 0;
  for (const ProfileRegime& regime : profile.regimes) {
    for (const CallGroup& group : regime.groups) {
      for (const ExpertLoad& load : group.experts) {
        const int64_t used =
            std::ranges::count_if(load.rows, [](int64_t rows) { return rows > 0; });
        const int64_t sum = std::accumulate(load.rows.begin(), load.rows.end(), int64_t{0});
        // The last layer computes only the row of the logits.
        EXPECT_TRUE(sum == used * group.tokens || sum == used * group.calls) << sum;
        ++nodes;
      }
    }
  }
  EXPECT_GE(nodes, 4);
}

TEST(ExpertModel, AProfileHasTheRowsOfEachExpert) {
  for (ThreadsBy by : {ThreadsBy::kTeam, ThreadsBy::kTbb}) {
    ThreadTeamOptions team;
    team.threads = 2;
    auto registry = MakeKernelRegistry(team, by);
    ASSERT_TRUE(registry.ok()) << registry.status();
    const LoadedModel model("random_moe_same.gguf", *std::move(registry));
    for (const char* policy : {"reference", "scalar", "auto"}) {
      SCOPED_TRACE(policy);
      auto session = model.NewSession({.policy = policy});
      StepRecorder recorder(session->program(), 2);
      Profiler profiler(session->program(), 2);
      recorder.Add(&profiler);
      session->SetRecorder(&recorder);
      ASSERT_TRUE(session->Prefill(Prompt(20)).ok());
      ASSERT_TRUE(session->Decode(7).ok());
      ExpectSameExperts(profiler.Finish());
    }
  }
}

// A rule about expert_linear moves the fused node too.
TEST(ExpertModel, IsPlacedByRules) {
  if (simd::ChosenLevel().level == nullptr) GTEST_SKIP() << simd::ChosenLevel().reason;
  const LoadedModel model("random_moe.gguf");
  const Program program = model.Compile({.policy = "auto", .place = {"op=expert_linear=simd"}});
  int experts = 0;
  for (const Node* node : program.regimes.front().graph.nodes()) {
    if (node->op().family_name() != "expert_linear") {
      EXPECT_TRUE(!node->placement() || node->placement()->target != Target::kSimd);
      continue;
    }
    EXPECT_EQ(node->placement()->target, Target::kSimd) << node->scope();
    ++experts;
  }
  EXPECT_EQ(experts, 4);  // expert_swiglu and expert_linear of two layers
}

}  // namespace
}  // namespace infer
