// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "ir/base/strings.h"
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

TEST(ScheduleNodes, SaysWhoseMemoryADeviceWorksIn) {
  const std::string text = StrCat(
      "graph @g stage(placed) symbols(T = 1..8) (%x: f32[T,4]) {\n %a = silu(%x) : f32[T,4] ",
      At(Target::kMetal), "\n %b = silu(%a) : f32[T,4] ", At(Target::kSimd), "\n return %b\n}");
  testing::TestMachine machine;
  machine.catalog.ShareMemory();
  Graph graph = RunPass(MakeScheduleNodes(), text, machine);
  const std::vector<Segment>& segments = graph.plan()->segments;
  ASSERT_EQ(segments.size(), 2u);
  EXPECT_EQ(segments[0].shared_space, Device::kCpu);
  EXPECT_EQ(segments[0].space(), Device::kCpu);
  EXPECT_EQ(segments[1].shared_space, std::nullopt);
}

// Four ops, each on the target given, on a machine that cuts all but matmul by rows.
std::string ModesAndBarriers(Target norm, Target silu, Target matmul, Target scale) {
  testing::TestMachine machine;
  for (std::string_view op : {"rms_norm", "silu", "scale"}) {
    machine.catalog.SetDomain(op, Target::kParallel, PartitionDomain::kRows);
  }
  machine.catalog.SetDomain("matmul", Target::kParallel, PartitionDomain::kColumns);
  Graph graph = RunPass(
      MakeScheduleNodes(),
      StrCat(R"(
      graph @g stage(placed) symbols(T = 1..8) (%x: f32[T,4], %m: f32[4,4]) {
        %w = weight() {name = "w"} : f32[4]
        %a = rms_norm(%x, %w) {eps = 0.5} : f32[T,4] )",
             At(norm), " %b = silu(%a) : f32[T,4] ", At(silu), " %c = matmul(%b, %m) : f32[T,4] ",
             At(matmul), " %d = scale(%c) {factor = 2.0} : f32[T,4] ", At(scale), " return %d }"),
      machine);
  std::string text;
  for (const Step& step : graph.plan()->segments[0].steps) {
    StrAppend(&text, step.mode == StepMode::kSliced ? "sliced" : "serial",
              step.barrier_after ? " | " : " ");
  }
  return text;
}

TEST(ScheduleNodes, ASegmentOfOneThreadNeedsNoBarriers) {
  EXPECT_EQ(ModesAndBarriers(Target::kScalar, Target::kSimd, Target::kSimd, Target::kScalar),
            "serial serial serial serial ");
}

TEST(ScheduleNodes, ThreadsMeetAroundEachSlicedStep) {
  EXPECT_EQ(ModesAndBarriers(Target::kSimd, Target::kSimd, Target::kParallel, Target::kSimd),
            "serial serial | sliced | serial ");
}

// silu reads the rows of the norm that the same thread has made; matmul is cut by columns.
TEST(ScheduleNodes, SlicesOfTheSameRowsNeedNoBarrierBetweenThem) {
  EXPECT_EQ(
      ModesAndBarriers(Target::kParallel, Target::kParallel, Target::kParallel, Target::kParallel),
      "sliced sliced | sliced | sliced ");
}

// Whether the threads meet between two steps that are both shared out by rows.
bool MeetBetween(std::string_view inputs, std::string_view first, std::string_view second) {
  testing::TestMachine machine;
  for (std::string_view op : {"embed", "rms_norm", "rope", "row_sum_squares", "scale", "silu"}) {
    machine.catalog.SetDomain(op, Target::kParallel, PartitionDomain::kRows);
  }
  std::string parallel = At(Target::kParallel);
  Graph graph =
      RunPass(MakeScheduleNodes(),
              StrCat("graph @g stage(placed) symbols(T = 1..8) (", inputs, ") { %a = ", first, " ",
                     parallel, " %b = ", second, " ", parallel, " return %b }"),
              machine);
  return graph.plan()->segments[0].steps[0].barrier_after;
}

TEST(ScheduleNodes, ThreadsMeetBeforeRowsOfAnotherShape) {
  EXPECT_FALSE(MeetBetween("%x: f32[T,4]", "silu(%x) : f32[T,4]", "silu(%a) : f32[T,4]"));
  EXPECT_TRUE(
      MeetBetween("%x: f32[T,4], %y: f32[T,8]", "silu(%x) : f32[T,4]", "silu(%y) : f32[T,8]"));
}

// A norm has a unit for each head, a rotation one for each token.
TEST(ScheduleNodes, ThreadsMeetBetweenHeadsAndTokens) {
  EXPECT_TRUE(MeetBetween(
      "%x: f32[T,2,4], %w: f32[4], %batch: batch", "rms_norm(%x, %w) {eps = 0.5} : f32[T,2,4]",
      "rope(%a, %batch) {base = 100.0, freq_scale = 1.0, ext_factor = 0.0, attn_factor = 1.0, "
      "beta_fast = 32.0, beta_slow = 1.0, original_context = 0} : f32[T,2,4]"));
}

// The sums have a unit for each row that is summed, their product one for each row of sums.
TEST(ScheduleNodes, ThreadsMeetAfterSumsOfRows) {
  EXPECT_TRUE(MeetBetween("%x: f32[T,4]", "row_sum_squares(%x) : f32[T]",
                          "scale(%a) {factor = 2.0} : f32[T]"));
  EXPECT_TRUE(MeetBetween("%x: f32[T,2,4]", "row_sum_squares(%x) : f32[T,2]",
                          "scale(%a) {factor = 2.0} : f32[T,2]"));
}

// Rows of a weight are there from the start.
TEST(ScheduleNodes, ThreadsMeetBeforeComputedRowsAreReadByNumber) {
  EXPECT_TRUE(MeetBetween("%x: f32[T,4], %tokens: i32[T]", "silu(%x) : f32[T,4]",
                          "embed(%a, %tokens) : f32[T,4]"));
  EXPECT_FALSE(MeetBetween("%tokens: i32[T]",
                           "weight() {name = \"w\"} : f32[9,4] %e = embed(%a, %tokens) : f32[T,4]",
                           "silu(%e) : f32[T,4]"));
}

// The view is no work at run time; the barrier behind it must not vanish with it.
TEST(ScheduleNodes, ThreadsMeetBeforeAViewOfWhatOneOfThemComputes) {
  std::string simd = At(Target::kSimd);
  Graph graph = RunPass(
      MakeScheduleNodes(),
      StrCat("graph @g stage(placed) symbols(T = 1..8) (%x: f32[T,8]) { %a = silu(%x) : f32[T,8] ",
             simd, " %v = reshape(%a) {dims = [0,2,4]} : f32[T,2,4] ", simd,
             " %b = silu(%v) : f32[T,2,4] ", At(Target::kParallel), " return %b }"));
  EXPECT_TRUE(graph.plan()->segments[0].steps[0].barrier_after);
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
