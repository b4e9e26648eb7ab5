// SPDX-License-Identifier: Apache-2.0
#include "ir/graph/common_memory.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "ir/graph/builder.h"
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

TEST_F(CommonMemoryTest, OnlyAGatherOfColumnsJoinsThem) {
  EXPECT_TRUE(JoinsColumns(*nodes_[1]));
  EXPECT_FALSE(JoinsColumns(*nodes_[2]));
  EXPECT_FALSE(JoinsColumns(*nodes_[3]));
  GraphBuilder builder(&graph_);
  Value heads = graph_.AddInput("heads", ValueType::F32({4, 2, 8}))->output();
  EXPECT_FALSE(JoinsColumns(*ops::AllGather(builder, heads, /*axis=*/1, /*ranks=*/2, "").node));
  EXPECT_TRUE(JoinsColumns(*ops::AllGather(builder, heads, /*axis=*/2, /*ranks=*/2, "").node));
}

}  // namespace
}  // namespace infer
