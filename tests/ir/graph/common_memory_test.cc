// SPDX-License-Identifier: Apache-2.0
#include "ir/graph/common_memory.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "ir/graph/builder.h"
#include "ir/graph/plan.h"
#include "ir/ops/message.h"
#include "ir/ops/ops.h"

namespace infer {
namespace {

using ::testing::ElementsAre;

// Nodes: 0 x, 1 a gather of it, 2 its silu, 3 a sum over the ranks, 4 its silu.
class CommonMemoryTest : public ::testing::Test {
 protected:
  CommonMemoryTest() {
    GraphBuilder builder(&graph_);
    Value x = graph_.AddInput("x", ValueType::F32({4, 16}))->output();
    Value gathered = ops::AllGather(builder, x, /*axis=*/1, /*ranks=*/2, "");
    Value y = ops::Silu(builder, gathered);
    Value summed = ops::AllReduce(builder, y, /*ranks=*/2, "");
    ops::Silu(builder, summed);
    nodes_ = graph_.nodes();
    Segment segment;
    for (int32_t node = 1; node < 5; ++node) segment.steps.push_back({.node = node, .copy = {}});
    plan_.segments = {segment};
  }

  Graph graph_;
  std::vector<Node*> nodes_;
  Plan plan_;
};

TEST_F(CommonMemoryTest, RanksMeetInTheNextCollective) {
  EXPECT_THAT(RankMeetings(plan_, nodes_), ElementsAre(2, 2, 4, 4));
}

TEST_F(CommonMemoryTest, EndsWithTheLastResultOfACollective) {
  EXPECT_EQ(CommonBytes(plan_, nodes_), 0u);
  plan_.slots = {{.value = {0, 0}, .offset = 4096, .bytes = 256, .alias_of = {}},
                 {.value = {1, 0}, .offset = 1024, .bytes = 512, .alias_of = {}},
                 {.value = {2, 0}, .offset = 5120, .bytes = 512, .alias_of = {}},
                 {.value = {3, 0}, .offset = 0, .bytes = 512, .alias_of = {}}};
  EXPECT_EQ(CommonBytes(plan_, nodes_), 1536u);
}

TEST_F(CommonMemoryTest, IsOfResultsOnTheCpu) {
  EXPECT_TRUE(IsCommon(*nodes_[1], Device::kCpu));
  EXPECT_FALSE(IsCommon(*nodes_[1], Device::kMetal));
  EXPECT_FALSE(IsCommon(*nodes_[2], Device::kCpu));
}

TEST_F(CommonMemoryTest, ColumnsAndRowsMayBeComputedInPlace) {
  EXPECT_EQ(InputInPlace(*nodes_[1], 0), 0);
  EXPECT_EQ(InputInPlace(*nodes_[2], 0), -1);
  EXPECT_EQ(InputInPlace(*nodes_[3], 0), -1) << "each rank has terms of all elements";
  GraphBuilder builder(&graph_);
  Node& rows = *ops::AllRows(builder, {nodes_[2]->output(), nodes_[4]->output()}, 2, "");
  EXPECT_EQ(InputInPlace(rows, 0), 0);
  EXPECT_EQ(InputInPlace(rows, 1), 1);
  ops::StayRounded(&rows, 1, "");
  ops::StayRounded(nodes_[1], 0, "");
  EXPECT_EQ(InputInPlace(rows, 0), 0);
  EXPECT_EQ(InputInPlace(rows, 1), -1) << "the collective rounds it";
  EXPECT_EQ(InputInPlace(*nodes_[1], 0), -1);
}

TEST(CanShareRows, OfOpsThatComputeEachRowFromTheSameRows) {
  Graph graph;
  GraphBuilder builder(&graph);
  const ValueType rows = ValueType::F32({Symbol::kT, 16});
  Value x = graph.AddInput("x", rows)->output();
  Value few = graph.AddInput("few", ValueType::F32({4, 16}))->output();
  Value batch = graph.AddInput("batch", ValueType::Batch())->output();
  Value heads = graph.AddInput("heads", ValueType::F32({Symbol::kT, 2, 8}))->output();
  Value norm = ops::WeightRef(builder, "norm", ValueType::F32({16}));
  Value matrix = ops::WeightRef(builder, "matrix", ValueType::F32({16, 16}));
  EXPECT_TRUE(CanShareRows(*ops::AddRmsNorm(builder, x, x, norm, 1e-6).first.node));
  EXPECT_TRUE(CanShareRows(*ops::Silu(builder, heads).node));
  Value scores = graph.AddInput("scores", ValueType::F32({Symbol::kT, Symbol::kS}))->output();
  EXPECT_FALSE(CanShareRows(*ops::Softmax(builder, scores).node)) << "rows of unknown length";
  EXPECT_FALSE(CanShareRows(*ops::Silu(builder, few).node)) << "their number is not the call's";
  EXPECT_FALSE(CanShareRows(*ops::Linear(builder, x, matrix).node)) << "rounding depends on rows";
  EXPECT_FALSE(CanShareRows(*ops::Rope(builder, heads, batch, {}).node)) << "positions are by row";
  EXPECT_FALSE(CanShareRows(*ops::SelectRows(builder, x, batch).node));
  EXPECT_FALSE(CanShareRows(*ops::Reshape(builder, x, {0, 4, 4}).node)) << "a view";
  EXPECT_FALSE(CanShareRows(*ops::AllReduce(builder, x, 2, "").node));
  EXPECT_FALSE(CanShareRows(*matrix.node));
  ASSERT_TRUE(builder.status().ok()) << builder.status();
}

TEST_F(CommonMemoryTest, PartsAreInPlaceAlongTheLastAxisOnly) {
  GraphBuilder builder(&graph_);
  Value heads = graph_.AddInput("heads", ValueType::F32({4, 2, 8}))->output();
  const Node& rows = *ops::AllGather(builder, heads, /*axis=*/1, /*ranks=*/2, "").node;
  const Node& columns = *ops::AllGather(builder, heads, /*axis=*/2, /*ranks=*/2, "").node;
  EXPECT_EQ(InputInPlace(rows, 0), -1);
  EXPECT_EQ(InputInPlace(columns, 0), 0);
}

TEST(RowSharerOf, ReadsAllResultsAndNobodyElseDoes) {
  Graph graph;
  GraphBuilder builder(&graph);
  Value x = graph.AddInput("x", ValueType::F32({Symbol::kT, 16}))->output();
  Value norm = ops::WeightRef(builder, "norm", ValueType::F32({16}));
  auto pair = [&] { return ops::AddRmsNorm(builder, x, x, norm, 1e-6); };
  const auto [a, b] = pair();
  EXPECT_EQ(RowSharerOf(*a.node), nullptr);
  const Node* all = ops::AllRows(builder, {a, b}, 2, "");
  EXPECT_EQ(RowSharerOf(*a.node), all);
  ops::Silu(builder, b);
  EXPECT_EQ(RowSharerOf(*a.node), nullptr) << "silu reads the rows of other ranks";
  const auto [c, d] = pair();
  ops::AllRows(builder, {d, c}, 2, "");
  EXPECT_EQ(RowSharerOf(*c.node), nullptr) << "in another order";
  const auto [e, f] = pair();
  ops::AllRows(builder, {e}, 2, "");
  EXPECT_EQ(RowSharerOf(*e.node), nullptr) << "one of two";
  const auto [g, h] = pair();
  ops::AllRows(builder, {g, h, x}, 2, "");
  EXPECT_EQ(RowSharerOf(*g.node), nullptr) << "and another value";
  ASSERT_TRUE(builder.status().ok()) << builder.status();
}

}  // namespace
}  // namespace infer
