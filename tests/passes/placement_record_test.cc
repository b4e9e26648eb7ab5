// SPDX-License-Identifier: Apache-2.0
#include "passes/placement_record.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "ir/ops/ops.h"
#include "tests/support/graph_test.h"

namespace infer {
namespace {

using ::testing::ElementsAre;

TEST(PlacementRecord, HasOneReasonForEveryOtherTarget) {
  Rule rule = test::RuleFor("fast", {Target::kParallel, Target::kMetal, Target::kScalar});
  RuleChoice choice{&rule, {{"rows", ">=", 2, 3, 4}}};
  Placement placement = MakePlacement(Target::kMetal, choice, PlacementSource::kLegalize,
                                      {{Target::kParallel, Rejected::Code::kNoKernel, "none"}});
  EXPECT_EQ(placement.target, Target::kMetal);
  EXPECT_EQ(placement.rule, "fast");
  EXPECT_EQ(placement.source, PlacementSource::kLegalize);
  EXPECT_EQ(placement.terms, choice.terms);
  EXPECT_THAT(
      placement.rejected,
      ElementsAre(
          Rejected{Target::kParallel, Rejected::Code::kNoKernel, "none"},
          Rejected{Target::kScalar, Rejected::Code::kLowerInRule, "rule fast prefers metal"},
          Rejected{Target::kSimd, Rejected::Code::kNotInRule, "rule fast does not list it"},
          Rejected{Target::kCuda, Rejected::Code::kNotInRule, "rule fast does not list it"}));
}

TEST(PlacementRecord, IsCompletedWithKernelAndCost) {
  Graph graph = test::GraphOf(R"(
      graph @g stage(bound) symbols(T = 1..8) (%x: f32[T,4]) {
        %w = weight() {name = "w"} : f32[2,4]
        %y = linear(%x, %w) : f32[T,2]
        return %y
      })");
  const Node& node = *graph.NodesOf(ops::kLinear)[0];
  KernelFacts kernel;
  kernel.name = "linear_f32";
  Placement placement = CompletePlacement({}, node, kernel);
  EXPECT_EQ(placement.kernel, "linear_f32");
  EXPECT_EQ(placement.cost.flops, (SymbolicCount{.ct = 16}));
  // 4 values in and 2 out for each token, and the weight's 8 once.
  EXPECT_EQ(placement.cost.bytes, (SymbolicCount{.c0 = 32, .ct = 24}));
  EXPECT_EQ(placement.estimate_ns_max, 0);
}

}  // namespace
}  // namespace infer
