// SPDX-License-Identifier: Apache-2.0
#include "runtime/halved_calls.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <numeric>
#include <random>
#include <vector>

#include "ir/graph/plan.h"
#include "tests/model/loaded_model.h"
#include "tests/model/rank_team.h"
#include "tests/model/shared_norms.h"
#include "tools/api/load_session.h"

namespace infer {
namespace {

using test::LoadedModel;
using test::LogitsOf;
using test::RankTeam;

constexpr int64_t kSequences = 4;

// The bundled model on two ranks with a network that takes its time.
CompileModelOptions Options(int64_t ranks) {
  CompileModelOptions options = {
      .policy = "scalar", .context = 128, .chunk = 32, .sequences = kSequences, .logit_rows = 8};
  options.shard.ranks = ranks;
  options.machine = test::WriteMachine("halves",
                                       "target { target: RANKS step_ns: 300000 }\n"
                                       "kernel { target: RANKS gb_s: 0.1 cached_gb_s: 0.1 }\n");
  return options;
}

int64_t FewestTokens(const Program& program) {
  const std::optional<Halves>& halves = program.regimes.back().graph.plan()->halves;
  return halves ? halves->min_tokens : 0;
}

std::vector<int32_t> Counted(int count, int32_t first) {
  std::vector<int32_t> ids(static_cast<size_t>(count));
  std::iota(ids.begin(), ids.end(), first);
  return ids;
}

class HalvedCallsTest : public ::testing::Test {
 protected:
  const LoadedModel model_{""};
};

TEST_F(HalvedCallsTest, AreThoseOfManyTokens) {
  const Program program = model_.Compile(Options(2));
  EXPECT_GE(FewestTokens(program), 2);
  EXPECT_LE(FewestTokens(program), 16);
  CompileModelOptions near = Options(2);
  near.machine = "";
  EXPECT_EQ(FewestTokens(model_.Compile(near)), 0) << "without a network nothing travels";
}

// A step as a server makes it: tokens of some sequences, a part of a prompt, rows in both halves.
TEST_F(HalvedCallsTest, GiveTheLogitsOfWholeCallsForEverySequence) {
  const RankTeam team(model_.file(), Options(2), RankTeam::Exchange::kSent);
  ASSERT_TRUE(team.status().ok()) << team.status();
  CompileModelOptions alone = Options(1);
  absl::StatusOr<std::unique_ptr<Engine>> one =
      LoadEngine(model_.Compile(alone), model_.file(), model_.registry(),
                 {.context = 128, .sequences = kSequences}, {});
  ASSERT_TRUE(one.ok()) << one.status();
  Engine* engines[] = {one->get(), &team.engine()};
  SequenceId sequences[2][3];
  for (size_t e : {0, 1}) {
    for (SequenceId& sequence : sequences[e]) sequence = engines[e]->NewSequence().value();
  }
  std::mt19937 random(3);
  int halved = 0;
  for (int step = 0; step < 12; ++step) {
    // Where the rows lie, and which sequence the halves share, differs from step to step.
    std::vector<std::vector<int32_t>> tokens;
    for (int i = 0; i < 3; ++i) {
      const bool is_long = i == step % 3;
      tokens.push_back(Counted(is_long ? 8 + static_cast<int>(random() % 10) : 1,
                               static_cast<int32_t>(random() % 200)));
    }
    const int32_t rows[] = {1, step % 2, 1 + step % 3};
    std::vector<float> logits[2];
    for (size_t e : {0, 1}) {
      std::vector<StepRequest> requests;
      for (size_t i = 0; i < 3; ++i) {
        const auto most = static_cast<int32_t>(tokens[i].size());
        requests.push_back({.sequence = sequences[e][i],
                            .tokens = tokens[i],
                            .logit_rows = std::min(rows[i], most)});
      }
      const absl::Status status = engines[e]->Step(requests);
      ASSERT_TRUE(status.ok()) << status;
      halved += engines[e]->was_halved() ? 1 : 0;
      for (size_t i = 0; i < 3; ++i) {
        for (int32_t row = 0; row < requests[i].logit_rows; ++row) {
          const std::span<const float> of_row = engines[e]->logits(i, row);
          logits[e].insert(logits[e].end(), of_row.begin(), of_row.end());
        }
      }
    }
    ASSERT_EQ(logits[0].size(), logits[1].size());
    EXPECT_EQ(std::memcmp(logits[0].data(), logits[1].data(), logits[0].size() * sizeof(float)), 0)
        << "step " << step;
  }
  EXPECT_GE(halved, 6);
}

// Who looks at each step sees those of the whole call.
class TokensOfSteps : public StepObserver {
 public:
  void AfterStep(const Node& node, const KernelArgs& args) override {
    const bool is_for_tokens = node.num_results() > 0 && node.result().type.is_tensor() &&
                               node.result().type.dim(0) == Dim(Symbol::kT);
    if (is_for_tokens) most = std::max(most, args.out().dim(0));
  }
  int64_t most = 0;
};

TEST_F(HalvedCallsTest, ThatAreObservedAreWhole) {
  const RankTeam team(model_.file(), Options(2), RankTeam::Exchange::kSent);
  ASSERT_TRUE(team.status().ok()) << team.status();
  const std::vector<int32_t> prompt = Counted(20, 5);
  ASSERT_TRUE(team.session().Prefill(prompt).ok());
  EXPECT_TRUE(team.engine().was_halved());
  const std::vector<float> halved = LogitsOf(team.session());
  TokensOfSteps observer;
  team.session().SetObserver(&observer);
  team.session().Clear();
  ASSERT_TRUE(team.session().Prefill(prompt).ok());
  EXPECT_EQ(observer.most, 20);
  EXPECT_FALSE(team.engine().was_halved());
  EXPECT_EQ(LogitsOf(team.session()), halved);
  team.session().SetObserver(nullptr);
}

// Ranks that plan differently run whole calls.
TEST_F(HalvedCallsTest, NeedTheSamePlanOnAllRanks) {
  CompileModelOptions others = Options(2);
  others.machine = "";
  const RankTeam team(model_.file(), Options(2), RankTeam::Exchange::kSent, others);
  ASSERT_TRUE(team.status().ok()) << team.status();
  const RankTeam same(model_.file(), Options(2), RankTeam::Exchange::kSent);
  ASSERT_TRUE(same.status().ok()) << same.status();
  for (const RankTeam* each : {&team, &same}) {
    ASSERT_TRUE(each->session().Prefill(Counted(20, 5)).ok());
  }
  EXPECT_FALSE(team.engine().was_halved());
  EXPECT_TRUE(same.engine().was_halved());
  EXPECT_EQ(LogitsOf(team.session()), LogitsOf(same.session()));
}

}  // namespace
}  // namespace infer
