// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "ir/strings.h"
#include "passes/passes.h"
#include "tests/support/graph_test.h"

namespace infer {
namespace {

using ::testing::ElementsAre;
using testing::RunPass;

// A placement as text, with a reason against every other target.
std::string At(Target target) {
  std::string text = StrCat("@", Name(target), " {kernel = \"k\", rule = \"r\", source = policy, ",
                            "rejected = [");
  std::string_view separator = "";
  for (Target other : kAllTargets) {
    if (other == target) continue;
    StrAppend(&text, separator, "{target = ", Name(other), ", text = \"no\"}");
    separator = ", ";
  }
  return text + "]}";
}

std::vector<int32_t> NodesOf(const Segment& segment) {
  std::vector<int32_t> nodes;
  for (const Step& step : segment.steps) nodes.push_back(step.node);
  return nodes;
}

TEST(ScheduleNodes, RunsNodesInTheirOrderAndNothingElse) {
  std::string scalar = At(Target::kScalar);
  Graph graph = RunPass(MakeScheduleNodes(), StrCat(R"(
      graph @g stage(placed) symbols(T = 1..8) (%x: f32[T,4]) {
        %y = silu(%x) : f32[T,4] )",
                                                    scalar, R"(
        %w = weight() {name = "w"} : f32[4]
        %z = mul(%y, %w) : f32[T,4] )",
                                                    scalar, R"(
        return %z
      })"));
  ASSERT_EQ(graph.plan()->segments.size(), 1u);
  EXPECT_EQ(graph.plan()->segments[0].device, Device::kCpu);
  EXPECT_THAT(NodesOf(graph.plan()->segments[0]), ElementsAre(1, 3));
  EXPECT_TRUE(graph.plan()->slots.empty());
  EXPECT_TRUE(graph.plan()->arenas.empty());
}

// scalar, simd and parallel share a device; metal is one of its own. Nothing here crosses.
TEST(ScheduleNodes, CutsSegmentsWhereTheDeviceChanges) {
  std::string text = "graph @g stage(placed) () {\n %w = weight() {name = \"w\"} : f32[4]\n";
  int number = 0;
  for (Target target : {Target::kScalar, Target::kSimd, Target::kMetal, Target::kMetal,
                        Target::kParallel, Target::kScalar}) {
    StrAppend(&text, " %v", number++, " = silu(%w) : f32[4] ", At(target), "\n");
  }
  text += " return %v0, %v1, %v4, %v5\n}";
  Graph graph = RunPass(MakeScheduleNodes(), text);
  const std::vector<Segment>& segments = graph.plan()->segments;
  ASSERT_EQ(segments.size(), 3u);
  EXPECT_EQ(segments[0].device, Device::kCpu);
  EXPECT_THAT(NodesOf(segments[0]), ElementsAre(1, 2));
  EXPECT_EQ(segments[1].device, Device::kMetal);
  EXPECT_THAT(NodesOf(segments[1]), ElementsAre(3, 4));
  EXPECT_EQ(segments[2].device, Device::kCpu);
  EXPECT_THAT(NodesOf(segments[2]), ElementsAre(5, 6));
}

TEST(ScheduleNodes, MakesNoSegmentForAGraphThatComputesNothing) {
  Graph graph = RunPass(MakeScheduleNodes(), R"(
      graph @g stage(placed) symbols(T = 1..8) (%x: f32[T,4]) {
        return %x
      })");
  EXPECT_TRUE(graph.plan()->segments.empty());
}

}  // namespace
}  // namespace infer
