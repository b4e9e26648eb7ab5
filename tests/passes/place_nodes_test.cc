// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "ir/ops/ops.h"
#include "passes/passes.h"
#include "tests/support/graph_test.h"

namespace infer {
namespace {

using test::ExpectError;
using test::ExpectRewrite;
using test::RuleFor;
using test::RunPass;
using test::TestMachine;
using ::testing::ElementsAre;

constexpr std::string_view kSilu = R"(
    graph @g stage(bound) symbols(T = 1..8, R = 1..2, S = 1..32) (%x: f32[T,16]) {
      %y = silu(%x) : f32[T,16] in "layer.3/act"
      return %y
    })";

const Placement& SiluPlacement(const Graph& graph) {
  return *graph.NodesOf(ops::kSilu).at(0)->placement();
}

TEST(PlaceNodes, WritesTargetKernelRuleReasonsAndCost) {
  ExpectRewrite(MakePlaceNodes(), kSilu, R"(
      graph @g stage(placed) symbols(T = 1..8, R = 1..2, S = 1..32) (%x: f32[T,16]) {
        %y = silu(%x) : f32[T,16] in "layer.3/act" @scalar {
          kernel = "silu_scalar", rule = "all", source = policy,
          rejected = [
            {target = simd, code = not_in_rule, text = "rule all does not list it"},
            {target = parallel, code = not_in_rule, text = "rule all does not list it"},
            {target = metal, code = not_in_rule, text = "rule all does not list it"},
            {target = cuda, code = not_in_rule, text = "rule all does not list it"}],
          cost = {flops = {ct = 80}, bytes = {ct = 128}}}
        return %y
      })");
}

TEST(PlaceNodes, PlacesNothingForInputsWeightsAndStates) {
  Graph graph = RunPass(MakePlaceNodes(), R"(
      graph @g stage(bound) symbols(T = 1..8, S = 1..32) (%k: f32[T,4], %b: batch) {
        %w = weight() {name = "w"} : f32[4]
        %kv = kv_state() {id = 0} : kv<f16[1,4]>
        %s = kv_write(%kv, %k, %k, %b) : kv<f16[1,4]>
        %y = mul(%k, %w) : f32[T,4]
        return %y
      })");
  std::vector<bool> placed;
  for (const Node* node : graph.nodes()) placed.push_back(node->placement() != nullptr);
  EXPECT_THAT(placed, ElementsAre(false, false, false, false, true, true));
}

TEST(PlaceNodes, SaysThatARuleWasGivenBesideThePolicy) {
  TestMachine machine;
  machine.policy.rules.insert(machine.policy.rules.begin(),
                              RuleFor("place simd", {Target::kSimd, Target::kScalar}));
  machine.policy.rules[0].is_override = true;
  Placement placement = SiluPlacement(RunPass(MakePlaceNodes(), kSilu, machine));
  EXPECT_EQ(placement.source, PlacementSource::kOverride);
  EXPECT_EQ(placement.rule, "place simd");
}

TEST(PlaceNodes, TakesTheFirstRuleThatMatches) {
  TestMachine machine;
  Rule other_op = RuleFor("linears", {Target::kScalar});
  other_op.op = "linear";
  Rule first = RuleFor("first", {Target::kScalar});
  first.op = "silu";
  machine.policy.rules = {other_op, first, RuleFor("second", {Target::kScalar})};
  EXPECT_EQ(SiluPlacement(RunPass(MakePlaceNodes(), kSilu, machine)).rule, "first");
}

TEST(PlaceNodes, TakesTheFirstTargetWithAKernelAndSaysWhyNotTheOthers) {
  TestMachine machine;
  machine.policy.rules = {RuleFor("fast", {Target::kMetal, Target::kSimd, Target::kScalar})};
  machine.catalog.Add("silu", Target::kSimd).Refuse("silu", Target::kMetal, "no such device");
  Graph graph = RunPass(MakePlaceNodes(), kSilu, machine);
  const Placement& placement = SiluPlacement(graph);
  EXPECT_EQ(placement.target, Target::kSimd);
  EXPECT_EQ(placement.kernel, "silu_simd");
  EXPECT_THAT(
      placement.rejected,
      ElementsAre(
          Rejected{Target::kMetal, Rejected::Code::kNoKernel, "no such device"},
          Rejected{Target::kScalar, Rejected::Code::kLowerInRule, "rule fast prefers simd"},
          Rejected{Target::kParallel, Rejected::Code::kNotInRule, "rule fast does not list it"},
          Rejected{Target::kCuda, Rejected::Code::kNotInRule, "rule fast does not list it"}));
}

TEST(PlaceNodes, AsksTheCatalogForTheWholeRange) {
  TestMachine machine;
  machine.policy.rules = {RuleFor("fast", {Target::kSimd, Target::kScalar})};
  machine.catalog.Add("silu", Target::kSimd).LimitRows("silu", Target::kSimd, 8);
  EXPECT_EQ(SiluPlacement(RunPass(MakePlaceNodes(), kSilu, machine)).target, Target::kSimd);
  machine.catalog.LimitRows("silu", Target::kSimd, 7);
  EXPECT_EQ(SiluPlacement(RunPass(MakePlaceNodes(), kSilu, machine)).target, Target::kScalar);
}

TEST(PlaceNodes, RecordsThePredicatesWithTheirNumbers) {
  TestMachine machine;
  machine.policy.rules[0].rows.min = 1;
  machine.policy.rules[0].layer = {2, 3};
  Graph graph = RunPass(MakePlaceNodes(), kSilu, machine);
  EXPECT_THAT(SiluPlacement(graph).terms,
              ElementsAre(Term{"layer", ">=", 2, 3, 3}, Term{"layer", "<=", 3, 3, 3},
                          Term{"rows", ">=", 1, 1, 8}));
}

TEST(PlaceNodes, RefusesANodeWithoutARule) {
  TestMachine machine;
  machine.policy.rules[0].op = "linear";
  ExpectError(MakePlaceNodes(), kSilu,
              "policy test has no rule for node %y (silu); end it with a rule without predicates",
              machine);
}

TEST(PlaceNodes, RefusesANodeThatNoTargetOfItsRuleRuns) {
  TestMachine machine;
  machine.policy.rules = {RuleFor("fast", {Target::kSimd, Target::kScalar})};
  machine.catalog.Refuse("silu", Target::kScalar, "too slow");
  ExpectError(MakePlaceNodes(), kSilu,
              "node %y (silu): no target of rule fast runs it; simd: no simd kernel for silu; "
              "scalar: too slow",
              machine);
}

TEST(PlaceNodes, RefusesAPredicateThatHoldsForAPartOfTheRange) {
  TestMachine machine;
  machine.policy.rules[0].rows.min = 4;
  ExpectError(MakePlaceNodes(), kSilu,
              "policy test, rule all: node %y (silu) has rows from 1 to 8, and rows >= 4 holds for "
              "only a part of that",
              machine);
}

TEST(PlaceNodes, KeepsPinnedNodes) {
  Graph graph = RunPass(MakePlaceNodes(), R"(
      graph @g stage(bound) symbols(T = 1..8) (%x: f32[T,16]) {
        %y = silu(%x) : f32[T,16] @metal {kernel = "mine", rule = "other", source = legalize,
          rejected = [{target = scalar, text = "a"}, {target = simd, text = "b"},
                      {target = parallel, text = "c"}, {target = cuda, text = "d"}]}
        %z = silu(%y) : f32[T,16]
        return %z
      })");
  EXPECT_EQ(SiluPlacement(graph).kernel, "mine");
  EXPECT_EQ(SiluPlacement(graph).target, Target::kMetal);
  EXPECT_EQ(graph.NodesOf(ops::kSilu)[1]->placement()->kernel, "silu_scalar");
}

}  // namespace
}  // namespace infer
