// SPDX-License-Identifier: Apache-2.0
//
// Whole models on several threads: the bits of one, and the regimes of a policy that counts rows.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <numeric>
#include <set>

#include "backends/backends.h"
#include "backends/simd/levels/choose_level.h"
#include "ir/base/strings.h"
#include "tests/backends/parallel/tbb_under_sanitizer.h"
#include "tests/model/loaded_model.h"

namespace infer {
namespace {

using test::LoadedModel;
using test::LogitsOf;

const LoadedModel& TinyTalesModel() {
  static const auto* model = new LoadedModel("");
  return *model;
}

std::vector<int32_t> Prompt(int tokens) {
  std::vector<int32_t> ids(tokens);
  std::iota(ids.begin(), ids.end(), 300);
  return ids;
}

// Logits after a prompt of several chunks and after each of some tokens.
std::vector<std::vector<float>> RunSomeSteps(Session& session) {
  std::vector<std::vector<float>> logits;
  EXPECT_TRUE(session.Prefill(Prompt(75)).ok());
  logits.push_back(LogitsOf(session));
  for (int32_t id : {5, 99, 1000, 7}) {
    EXPECT_TRUE(session.Decode(id).ok());
    logits.push_back(LogitsOf(session));
  }
  return logits;
}

class ThreadsTest : public ::testing::Test {
 protected:
  void SetUp() override {
    if (simd::ChosenLevel().level == nullptr) GTEST_SKIP() << simd::ChosenLevel().reason;
  }
  static std::vector<std::vector<float>> Run(int threads, ThreadsBy by) {
    ThreadTeamOptions team;
    team.threads = threads;
    auto registry = MakeKernelRegistry(team, by);
    EXPECT_TRUE(registry.ok()) << registry.status();
    auto program =
        CompileModel(TinyTalesModel().file(), **registry, {.policy = "parallel", .chunk = 64});
    EXPECT_TRUE(program.ok()) << program.status();
    SessionOptions options;
    options.context = program->symbols[Symbol::kS].max;
    auto session =
        Session::CreateAlone(*std::move(program), TinyTalesModel().weights(), **registry, options);
    EXPECT_TRUE(session.ok()) << session.status();
    return RunSomeSteps(**session);
  }
};

TEST_F(ThreadsTest, AnyNumberGivesTheBitsOfOne) {
  auto simd = TinyTalesModel().NewSession({.policy = "simd", .chunk = 64});
  const std::vector<std::vector<float>> expected = RunSomeSteps(*simd);
  for (int threads : {1, 2, 3, 8}) {
    EXPECT_TRUE(Run(threads, ThreadsBy::kTeam) == expected) << "team of " << threads;
    if (kTbbLooksLikeRaces) continue;
    EXPECT_TRUE(Run(threads, ThreadsBy::kTbb) == expected) << "tbb of " << threads;
  }
}

// Where the nodes of an op are in a regime.
std::set<std::string> TargetsOf(const Regime& regime, std::string_view op) {
  std::set<std::string> targets;
  for (const Node* node : regime.graph.nodes()) {
    if (node->placement() && node->op().name == op) {
      targets.insert(std::string(Name(node->placement()->target)));
    }
  }
  return targets;
}

// Up to 16 tokens, where no level has kernels that begin at a number of rows.
TEST_F(ThreadsTest, TheTutorialsThresholdsCutThreeRegimes) {
  const Program program =
      TinyTalesModel().Compile({.policy = "tutorial", .chunk = 16, .logit_rows = 16});
  ASSERT_EQ(program.regimes.size(), 3u);
  const int64_t bounds[][2] = {{1, 3}, {4, 7}, {8, 16}};
  for (int i = 0; i < 3; ++i) {
    const Regime& regime = program.regimes[i];
    EXPECT_EQ(regime.min_tokens, bounds[i][0]);
    EXPECT_EQ(regime.max_tokens, bounds[i][1]);
    EXPECT_EQ(TargetsOf(regime, "row_sum_squares"), std::set<std::string>{"parallel"});
    for (const Node* node : regime.graph.nodes()) {
      EXPECT_FALSE(node->op().composite()) << node->op().name;
    }
    for (std::string_view op : {"add", "mul", "silu", "softmax", "rope", "embed"}) {
      EXPECT_EQ(TargetsOf(regime, op), std::set<std::string>{"scalar"}) << op;
    }
  }
  EXPECT_EQ(TargetsOf(program.regimes[0], "linear"), std::set<std::string>{"simd"});
  EXPECT_TRUE(TargetsOf(program.regimes[1], "linear").contains("parallel"));
  EXPECT_TRUE(TargetsOf(program.regimes[2], "linear").contains("parallel"));
}

}  // namespace
}  // namespace infer
