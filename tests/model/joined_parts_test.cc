// SPDX-License-Identifier: Apache-2.0
#include "runtime/joined_parts.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "backends/simd/levels/choose_level.h"
#include "ir/graph/common_memory.h"
#include "ir/graph/plan.h"
#include "ir/ops/ops.h"
#include "ir/verify/verifier.h"
#include "tests/model/loaded_model.h"
#include "tests/model/rank_team.h"
#include "tests/model/shared_norms.h"

namespace infer {
namespace {

using test::LoadedModel;
using test::RankTeam;
using test::WithSharedNorms;

// How many gathers of a call find this rank's columns in their place.
class ColumnsInPlace : public StepObserver {
 public:
  void AfterStep(const Node& node, const KernelArgs& args) override {
    if (!node.Is(ops::kAllGather)) return;
    const TensorView& part = args.in(0);
    in_place += part.data == args.out().data && part.stride() == args.out().columns() ? 1 : 0;
  }

  size_t in_place = 0;  // of rank 0, whose columns are the first
};

// The rows of which rank 0 computes norms that the ranks share.
class SharedNorms : public StepObserver {
 public:
  void AfterStep(const Node& node, const KernelArgs& args) override {
    if (RowSharerOf(node) == nullptr) return;
    rows.insert(args.out().dim(0));
    EXPECT_EQ(args.in(0).dim(0), args.out().dim(0));
  }

  std::set<int64_t> rows;
};

// The bundled model, divided over two ranks. Its first regime is of single tokens.
class JoinedPartsTest : public ::testing::Test {
 protected:
  Graph& GraphFor(const std::string& policy) {
    CompileModelOptions options = {.policy = policy, .context = 128, .chunk = 32};
    options.shard.ranks = 2;
    program_ = model_.Compile(options);
    return program_.regimes[0].graph;
  }

  std::vector<JoinedPart> Find(const Graph& graph) const {
    return FindJoinedParts(graph, model_.registry());
  }

  // The node of a step.
  static Node* NodeAt(const Graph& graph, size_t step) {
    const std::vector<Node*> nodes = graph.nodes();
    for (const Segment& segment : graph.plan()->segments) {
      if (step < segment.steps.size()) return nodes[segment.steps[step].node];
      step -= segment.steps.size();
    }
    return nullptr;
  }

  LoadedModel model_{""};
  Program program_;
};

TEST_F(JoinedPartsTest, ProductsWriteWhereAllRanksRead) {
  if (simd::ChosenLevel().level == nullptr) GTEST_SKIP() << simd::ChosenLevel().reason;
  const Graph& graph = GraphFor("parallel");
  const std::vector<JoinedPart> found = Find(graph);
  ASSERT_FALSE(found.empty());
  for (const JoinedPart& columns : found) {
    Node* joined = NodeAt(graph, columns.joined);
    ASSERT_TRUE(joined->Is(ops::kAllGather));
    EXPECT_EQ(joined->input(0), NodeAt(graph, columns.computed)->output(columns.result));
  }
  // Only the rows that are selected for the logits are copied.
  size_t copied = 0;
  for (const Node* gather : graph.NodesOf(ops::kAllGather)) {
    copied += gather->input(0).node->Is(ops::kSelectRows) ? 1 : 0;
  }
  EXPECT_EQ(found.size() + copied, graph.NodesOf(ops::kAllGather).size());
}

TEST_F(JoinedPartsTest, RanksWithoutCommonMemoryKeepTheirColumns) {
  if (simd::ChosenLevel().level == nullptr) GTEST_SKIP() << simd::ChosenLevel().reason;
  CompileModelOptions options = {.policy = "parallel", .context = 128, .chunk = 32};
  options.shard.ranks = 2;
  for (RankTeam::Exchange exchange : {RankTeam::Exchange::kCommon, RankTeam::Exchange::kSent}) {
    const RankTeam team(model_.file(), options, exchange);
    ASSERT_TRUE(team.status().ok()) << team.status();
    ColumnsInPlace observer;
    team.session().SetObserver(&observer);
    ASSERT_TRUE(team.session().Decode(1).ok());
    const bool common = exchange == RankTeam::Exchange::kCommon;
    EXPECT_EQ(observer.in_place, common ? Find(GraphFor("parallel")).size() : 0);
  }
}

TEST_F(JoinedPartsTest, RanksComputeTheirRowsOfNorms) {
  CompileModelOptions options = WithSharedNorms({.context = 128, .chunk = 32});
  options.shard.ranks = 2;
  program_ = model_.Compile(options);
  Graph& graph = program_.regimes.back().graph;
  const size_t norms = graph.NodesOf(ops::kAllRows).size();
  ASSERT_GT(norms, 0u);
  std::vector<JoinedPart> found = Find(graph);
  const size_t all = found.size();
  std::erase_if(found, [](const JoinedPart& part) { return !part.is_rows; });
  ASSERT_EQ(found.size(), norms);
  for (const JoinedPart& part : found) {
    EXPECT_EQ(RowSharerOf(*NodeAt(graph, part.computed)), NodeAt(graph, part.joined));
  }
  graph.AddResult(NodeAt(graph, found[0].computed)->output(1));
  EXPECT_EQ(Find(graph).size(), all - 1) << "all rows of what else is read are computed";
  for (RankTeam::Exchange exchange : {RankTeam::Exchange::kCommon, RankTeam::Exchange::kSent}) {
    const RankTeam team(model_.file(), options, exchange);
    ASSERT_TRUE(team.status().ok()) << team.status();
    const bool common = exchange == RankTeam::Exchange::kCommon;
    for (int tokens : {31, 20}) {
      SharedNorms observer;
      team.session().SetObserver(&observer);
      ASSERT_TRUE(team.session().Prefill(std::vector<int32_t>(tokens, tokens)).ok());
      EXPECT_THAT(observer.rows, ::testing::ElementsAre(common ? tokens / 2 : tokens));
    }
  }
}

TEST(RowsOfRank, CoverAllRowsOnce) {
  for (int64_t rows : {0, 2, 7, 512}) {
    int64_t end = 0;
    for (int64_t rank = 0; rank < 3; ++rank) {
      const RowShare share = RowsOfRank(rows, rank, 3);
      EXPECT_EQ(share.begin, end);
      EXPECT_LE(share.end - share.begin, (rows + 2) / 3);
      end = share.end;
    }
    EXPECT_EQ(end, rows);
  }
}

// Ranks place their columns by their own number.
TEST_F(JoinedPartsTest, AProgramForAnotherNumberOfRanksIsRefused) {
  GraphFor("scalar");
  ASSERT_TRUE(Verify(program_).ok()) << Verify(program_);
  program_.policy.shard.ranks = 4;
  EXPECT_THAT(Verify(program_).message(),
              ::testing::HasSubstr("is one of 2 parts, but the program is for 4 ranks"));
  for (Weight& weight : program_.weights) weight.slice = {};
  EXPECT_THAT(Verify(program_).message(),
              ::testing::HasSubstr("is for 2 ranks, but the program is for 4"));
}

TEST_F(JoinedPartsTest, OtherKernelsWriteWithoutGaps) {
  const Graph& graph = GraphFor("scalar");
  EXPECT_FALSE(graph.NodesOf(ops::kAllGather).empty());
  EXPECT_TRUE(Find(graph).empty());
}

TEST_F(JoinedPartsTest, WhatElseIsReadStaysWhereItWasPlanned) {
  if (simd::ChosenLevel().level == nullptr) GTEST_SKIP() << simd::ChosenLevel().reason;
  Graph& graph = GraphFor("parallel");
  const std::vector<JoinedPart> before = Find(graph);
  ASSERT_FALSE(before.empty());
  graph.AddResult(NodeAt(graph, before[0].joined)->input(0));
  const std::vector<JoinedPart> after = Find(graph);
  ASSERT_EQ(after.size(), before.size() - 1);
  EXPECT_NE(after[0].joined, before[0].joined);
}

TEST_F(JoinedPartsTest, MemoryThatIsFreeOnlyLaterIsNotWritten) {
  if (simd::ChosenLevel().level == nullptr) GTEST_SKIP() << simd::ChosenLevel().reason;
  Graph& graph = GraphFor("parallel");
  const std::vector<Node*> nodes = graph.nodes();
  const size_t before = Find(graph).size();
  Plan plan = *graph.plan();
  const auto slot = std::ranges::find_if(
      plan.slots, [&](const Slot& s) { return IsCommon(*nodes[s.value.node], s.space); });
  ASSERT_NE(slot, plan.slots.end());
  slot->first_step = slot->last_step;
  graph.set_plan(plan);
  EXPECT_EQ(Find(graph).size(), before - 1);
}

}  // namespace
}  // namespace infer
