// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <initializer_list>
#include <utility>

#include "ir/base/strings.h"
#include "ir/graph/plan.h"
#include "passes/passes.h"
#include "tests/support/graph_test.h"

namespace infer {
namespace {

using test::RunPass;
using ::testing::ElementsAre;

constexpr std::string_view kTiles = "{domain = tiles, extent = {c0 = 1.0}}";
// Rows of f32[T,...] of input 0.
constexpr std::string_view kRows =
    "{domain = rows, extent = {ct = 1.0}, own_inputs = [0], own_results = [0]}";

// A placement as text, with a reason against every other target. What parallel runs is cut.
std::string At(Target target, std::string_view partition = kTiles) {
  std::string text = StrCat("@", Name(target), " {kernel = \"k\", rule = \"r\", source = policy, ");
  if (target == Target::kParallel) {
    StrAppend(&text, "kernel_record = {partition = ", partition, "}, ");
  }
  StrAppend(&text, "rejected = [");
  std::string_view separator = "";
  for (Target other : kUserTargets) {
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
  test::TestMachine machine;
  machine.catalog.ShareMemory();
  Graph graph = RunPass(MakeScheduleNodes(), text, machine);
  const std::vector<Segment>& segments = graph.plan()->segments;
  ASSERT_EQ(segments.size(), 2u);
  EXPECT_EQ(segments[0].shared_space, Device::kCpu);
  EXPECT_EQ(segments[0].space(), Device::kCpu);
  EXPECT_EQ(segments[1].shared_space, std::nullopt);
}

std::string ModesAndBarriersOf(const Graph& graph) {
  std::string text;
  for (const Step& step : graph.plan()->segments[0].steps) {
    StrAppend(&text, step.mode == StepMode::kSliced ? "sliced" : "serial",
              step.barrier_after ? " | " : " ");
  }
  return text;
}

// Four ops, each on the target given, where kernels of parallel cut all but matmul by rows.
std::string ModesAndBarriers(Target norm, Target silu, Target matmul, Target scale) {
  return ModesAndBarriersOf(RunPass(
      MakeScheduleNodes(),
      StrCat(R"(
      graph @g stage(placed) symbols(T = 1..8) (%x: f32[T,4], %m: f32[4,4]) {
        %w = weight() {name = "w"} : f32[4]
        %a = rms_norm(%x, %w) {eps = 0.5} : f32[T,4] )",
             At(norm, kRows), " %b = silu(%a) : f32[T,4] ", At(silu, kRows),
             " %c = matmul(%b, %m) : f32[T,4] ", At(matmul),
             " %d = scale(%c) {factor = 2.0} : ", "f32[T,4] ", At(scale, kRows), " return %d }")));
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

// Steps on parallel, each with its partition.
std::string BarriersOf(std::initializer_list<std::pair<std::string_view, std::string_view>> steps,
                       std::string_view result) {
  std::string text =
      "graph @g stage(placed) symbols(T = 1..8) (%x: f32[T,8], %y: f32[T,8], %batch: batch) { "
      "%kv = kv_state() {id = 0} : kv<f16[1,8]> ";
  for (const auto& [step, partition] : steps) {
    StrAppend(&text, step, " ", At(Target::kParallel, partition), " ");
  }
  return ModesAndBarriersOf(RunPass(MakeScheduleNodes(), StrCat(text, "return ", result, " }")));
}

TEST(ScheduleNodes, ThreadsMeetBeforeUnitsOfAnotherKind) {
  constexpr std::string_view kSilu = "%a = silu(%x) : f32[T,8]", kNext = "%b = silu(%a) : f32[T,8]";
  EXPECT_EQ(BarriersOf({{kSilu, kRows}, {kNext, kRows}}, "%b"), "sliced sliced ");
  EXPECT_EQ(BarriersOf({{kSilu, kRows}, {kNext, kTiles}}, "%b"), "sliced | sliced ");
  EXPECT_EQ(BarriersOf({{kSilu, kTiles}, {kNext, kRows}}, "%b"), "sliced | sliced ");
  // The same rows, but of pairs of them.
  EXPECT_EQ(BarriersOf({{kSilu, kRows},
                        {kNext,
                         "{domain = rows, extent = {ct = 1.0}, granule = 2, own_inputs = [0], "
                         "own_results = [0]}"}},
                       "%b"),
            "sliced | sliced ");
}

// A thread's part of a rank's rows is not its part of all rows.
TEST(ScheduleNodes, ThreadsMeetBeforeRowsThatRanksShare) {
  EXPECT_EQ(BarriersOf({{"%a = silu(%x) : f32[T,8]", kRows},
                        {"%b = silu(%a) : f32[T,8]", kRows},
                        {"%c = all_rows(%b) {ranks = 2} : f32[T,8]", kRows}},
                       "%c"),
            "sliced | sliced | sliced ");
}

TEST(ScheduleNodes, ThreadsRunOnIntoWhatReadsNothingOfTheStepsBefore) {
  EXPECT_EQ(BarriersOf({{"%a = silu(%x) : f32[T,8]", kTiles},
                        {"%b = silu(%y) : f32[T,8]", kRows},
                        {"%c = add(%b, %a) : f32[T,8]", kRows}},
                       "%c"),
            "sliced sliced | sliced ");
}

TEST(ScheduleNodes, ThreadsMeetBetweenTheWriterOfACacheAndItsReader) {
  EXPECT_EQ(BarriersOf({{"%kv1 = kv_write(%kv, %x, %x, %batch) : kv<f16[1,8]>",
                         "{domain = rows, extent = {ct = 1.0}, own_inputs = [1, 2]}"},
                        {"%h = reshape(%y) {dims = [0,1,8]} : f32[T,1,8]", "{domain = none}"},
                        {"%a = attention(%h, %kv1, %batch) {scale = 0.5} : f32[T,8]", kTiles}},
                       "%a"),
            "sliced | sliced sliced ");
}

TEST(ScheduleNodes, WhatCannotBeCutIsSerial) {
  EXPECT_EQ(BarriersOf({{"%a = silu(%x) : f32[T,8]", "{domain = none}"}}, "%a"), "serial ");
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

// Where a cpu step must wait for metal, "w" stands before it; a copy is "in" or "out".
std::string Segments(const Graph& graph) {
  std::string text;
  const std::vector<Node*> nodes = graph.nodes();
  for (const Segment& segment : graph.plan()->segments) {
    StrAppend(&text, text.empty() ? "" : "; ", segment.waits.empty() ? "" : "w ",
              Name(segment.device), ":");
    for (const Step& step : segment.steps) {
      const ValueRef value = step.copy ? step.copy->value : ValueRef{step.node, 0};
      StrAppend(&text,
                !step.copy                      ? " "
                : step.copy->to == Device::kCpu ? " out-"
                                                : " in-",
                nodes[value.node]->result(value.result).name);
    }
  }
  return StrCat(text, graph.plan()->waits.empty() ? "" : "; w");
}

// Nodes that read what is named, each on the target given.
Graph Scheduled(std::initializer_list<std::pair<std::string_view, Target>> nodes,
                std::string_view results, bool shares_memory = false) {
  std::string text = "graph @g stage(placed) symbols(T = 1..8) (%x: f32[T,4]) {\n";
  for (const auto& [node, target] : nodes) {
    const size_t equals = node.find('=');
    StrAppend(&text, " %", node.substr(0, equals), " = add(%", node.substr(equals + 1, 1), ", %",
              node.substr(equals + 2, 1), ") : f32[T,4] ", At(target), "\n");
  }
  test::TestMachine machine;
  if (shares_memory) machine.catalog.ShareMemory();
  return RunPass(MakeScheduleNodes(), StrCat(text, " return ", results, "\n}"), machine);
}

TEST(ScheduleNodes, CopiesWhatCrossesBetweenMemories) {
  EXPECT_EQ(Segments(Scheduled({{"a=xx", Target::kMetal}}, "%a")), "metal: in-x a out-a; w");
  EXPECT_EQ(Segments(Scheduled({{"a=xx", Target::kMetal}}, "%a", true)), "metal: a");
}

// A call that needs only the candidates leaves the last segment out.
TEST(ScheduleNodes, LogitsWithCandidatesAreCopiedLastAndAlone) {
  const auto segments = [](Target norm) {
    return Segments(RunPass(MakeScheduleNodes(), StrCat(R"(
        graph @g stage(placed) symbols(T = 1..8, R = 1..2) (%x: f32[R,8]) {
          %l = silu(%x) : f32[R,8] )",
                                                        At(Target::kCuda), R"(
          %i, %v = top_k(%l) {k = 2, normed = false} : i32[R,2], f32[R,2] )",
                                                        At(Target::kCuda), R"(
          %n = silu(%l) : f32[R,8] )",
                                                        At(norm), R"(
          return %l, %n, %i, %v
        })")));
  };
  EXPECT_EQ(segments(Target::kCuda), "cuda: in-x l i n out-n out-i out-v; cuda: out-l; w");
  // Something on the cpu reads them anyway.
  EXPECT_EQ(segments(Target::kScalar), "cuda: in-x l i out-l out-i out-v; w cpu: n");
}

TEST(ScheduleNodes, CopiesAValueOnceForEveryReader) {
  EXPECT_EQ(Segments(Scheduled({{"a=xx", Target::kMetal},
                                {"b=ax", Target::kScalar},
                                {"c=ab", Target::kScalar},
                                {"d=ax", Target::kMetal},
                                {"e=db", Target::kMetal}},
                               "%c, %e")),
            "metal: in-x a out-a; w cpu: b c; metal: in-b d e out-e; w");
}

// b does not need what metal computes, c does.
TEST(ScheduleNodes, TheCpuGoesOnUntilItNeedsWhatAQueueComputes) {
  EXPECT_EQ(Segments(Scheduled({{"a=xx", Target::kMetal},
                                {"b=xx", Target::kScalar},
                                {"c=ab", Target::kScalar},
                                {"d=ac", Target::kScalar}},
                               "%d")),
            "metal: in-x a out-a; cpu: b; w cpu: c d");
}

// One wait is for everything that the queue was given before.
TEST(ScheduleNodes, WaitsNoMoreThanItMust) {
  EXPECT_EQ(Segments(Scheduled({{"a=xx", Target::kMetal},
                                {"b=xx", Target::kScalar},
                                {"c=xa", Target::kMetal},
                                {"d=cb", Target::kScalar},
                                {"e=ad", Target::kScalar}},
                               "%e")),
            "metal: in-x a out-a; cpu: b; metal: c out-c; w cpu: d e");
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
