// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "ir/ops/ops.h"
#include "ir/text/printer.h"
#include "passes/passes.h"
#include "tests/support/graph_test.h"

namespace infer {
namespace {

using test::ExpectError;
using test::ExpectRewrite;
using test::ExpectUnchanged;
using test::GraphOf;
using test::RuleFor;
using test::RunPass;
using test::TestMachine;
using ::testing::ElementsAre;

constexpr std::string_view kNormGraph = R"(
    graph @g stage(bound) symbols(T = 1..8) (%x: f32[T,4]) {
      %w = weight() {name = "n"} : f32[4]
      %n = rms_norm(%x, %w) {eps = 0.5} : f32[T,4] in "layer.0/norm"
      %y = silu(%n) : f32[T,4] in "layer.0/act"
      return %y
    })";

// The scope of all parts is the norm's; its origin stays with the part that computes its result.
constexpr std::string_view kNormExpanded = R"(
    graph @g stage(bound) symbols(T = 1..8) (%x: f32[T,4]) {
      %w = weight() {name = "n"} : f32[4]
      %0 = row_sum_squares(%x) : f32[T] in "layer.0/norm" from none
      %1 = scale(%0) {factor = 0.25} : f32[T] in "layer.0/norm" from none
      %2 = add_scalar(%1) {scalar = 0.5} : f32[T] in "layer.0/norm" from none
      %3 = rsqrt(%2) : f32[T] in "layer.0/norm" from none
      %4 = broadcast_rows(%3) {columns = 4} : f32[T,4] in "layer.0/norm" from none
      %5 = mul(%x, %4) : f32[T,4] in "layer.0/norm" from none
      %n = mul(%5, %w) : f32[T,4] in "layer.0/norm"
      %y = silu(%n) : f32[T,4] in "layer.0/act"
      return %y
    })";

TestMachine Decomposing() {
  TestMachine machine;
  machine.policy.composites = Policy::Composites::kDecompose;
  return machine;
}

// Every part of rms_norm on simd, the whole nowhere.
TestMachine PartsOnSimd() {
  TestMachine machine;
  for (std::string_view op :
       {"row_sum_squares", "scale", "add_scalar", "rsqrt", "broadcast_rows", "mul"}) {
    machine.catalog.Add(op, Target::kSimd);
  }
  return machine;
}

std::vector<std::string> OpNames(const Graph& graph) {
  std::vector<std::string> names;
  for (const Node* node : graph.nodes()) names.emplace_back(node->op().name);
  return names;
}

TEST(Legalize, ExpandsEveryCompositeIfThePolicySaysSo) {
  ExpectRewrite(MakeLegalize(), kNormGraph, kNormExpanded, Decomposing());
}

TEST(Legalize, ExpandsByPolicyEvenWhatATargetRunsWhole) {
  TestMachine machine = Decomposing();
  machine.catalog.Add("rms_norm", Target::kScalar);
  ExpectRewrite(MakeLegalize(), kNormGraph, kNormExpanded, machine);
}

TEST(Legalize, LeavesPartsToTheirOwnRulesIfThePolicyDecomposes) {
  Graph graph = RunPass(MakeLegalize(), kNormGraph, Decomposing());
  for (const Node* node : graph.nodes()) EXPECT_FALSE(node->placement());
}

TEST(Legalize, MovesTheNameToTheLastPart) {
  Graph graph = RunPass(MakeLegalize(), kNormGraph, Decomposing());
  Node* last = graph.NodesOf(ops::kMul)[1];
  EXPECT_EQ(last->result().name, "n");
  EXPECT_EQ(last->result().origin, "layer.0/norm");
  EXPECT_EQ(graph.NodesOf(ops::kMul)[0]->result().name, "");
}

TEST(Legalize, KeepsWhatWasMergedIntoTheNode) {
  Graph graph = RunPass(MakeLegalize(), R"(
      graph @g stage(bound) symbols(T = 1..8) (%x: f32[T,4]) {
        %w = weight() {name = "n"} : f32[4]
        %n = rms_norm(%x, %w) {eps = 0.5} : f32[T,4] in "a+b+c"
        return %n
      })",
                        Decomposing());
  EXPECT_THAT(graph.NodesOf(ops::kRsqrt)[0]->merged_scopes(), ElementsAre("b", "c"));
}

TEST(Legalize, ReplacesAResultOfTheGraph) {
  Graph graph = RunPass(MakeLegalize(), R"(
      graph @g stage(bound) symbols(T = 1..8) (%x: f32[T,4]) {
        %w = weight() {name = "n"} : f32[4]
        %n = rms_norm(%x, %w) {eps = 0.5} : f32[T,4]
        %y = silu(%n) : f32[T,4]
        return %n, %y, %n
      })",
                        Decomposing());
  EXPECT_TRUE(graph.results()[0].node->Is(ops::kMul));
  EXPECT_EQ(graph.results()[0], graph.results()[2]);
}

TEST(Legalize, LeavesPrimitivesAlone) {
  ExpectUnchanged(MakeLegalize(), kNormExpanded, Decomposing());
  ExpectUnchanged(MakeLegalize(), kNormExpanded);
}

TEST(Legalize, KeepsACompositeThatItsFirstTargetRunsWhole) {
  TestMachine machine;
  machine.catalog.Add("rms_norm", Target::kScalar);
  ExpectUnchanged(MakeLegalize(), kNormGraph, machine);
}

TEST(Legalize, PrefersTheFirstTargetInPartsToTheSecondWhole) {
  TestMachine machine = PartsOnSimd();
  machine.policy.rules = {RuleFor("fast", {Target::kSimd, Target::kScalar})};
  machine.catalog.Add("rms_norm", Target::kScalar);
  Graph graph = RunPass(MakeLegalize(), kNormGraph, machine);
  EXPECT_EQ(graph.NodesOf(ops::kRsqrt)[0]->placement()->target, Target::kSimd);
}

TEST(Legalize, PinsThePartsToTheTargetThatRunsThemAll) {
  Graph graph = RunPass(MakeLegalize(), kNormGraph);
  EXPECT_EQ(OpNames(graph), OpNames(GraphOf(kNormExpanded)));
  for (const Node* node : graph.nodes()) {
    if (node->scope() != "layer.0/norm") {
      EXPECT_FALSE(node->placement()) << node->op().name;
      continue;
    }
    ASSERT_TRUE(node->placement()) << node->op().name;
    EXPECT_EQ(node->placement()->target, Target::kScalar);
    EXPECT_EQ(node->placement()->source, PlacementSource::kLegalize);
    EXPECT_EQ(node->placement()->rule, "all");
    EXPECT_EQ(node->placement()->kernel, std::string(node->op().name) + "_scalar");
    EXPECT_EQ(node->placement()->cost, CostOf(*node));
  }
}

// The rule's first target lacks one part, so the second is taken; both the reason against the first
// and the verifier's rule that no target goes without one must hold after placing the rest.
TEST(Legalize, RecordsWhyAHigherTargetWasNotTaken) {
  TestMachine machine = PartsOnSimd();
  machine.policy.rules = {RuleFor("fast", {Target::kSimd, Target::kScalar})};
  machine.catalog.Refuse("rsqrt", Target::kSimd, "no rsqrt in that register");
  Graph graph = RunPass(MakeLegalize(), kNormGraph, machine);
  const Placement& placement = *graph.NodesOf(ops::kRsqrt)[0]->placement();
  EXPECT_EQ(placement.target, Target::kScalar);
  ASSERT_EQ(placement.rejected.size(), kUserTargets.size() - 1);
  EXPECT_EQ(placement.rejected[0].target, Target::kSimd);
  EXPECT_EQ(placement.rejected[0].code, Rejected::Code::kNoKernel);
  EXPECT_EQ(placement.rejected[0].text,
            "no simd kernel for rms_norm, and its parts: no rsqrt in that register");
  RunPass(MakePlaceNodes(), PrintGraph(graph), machine);
}

TEST(Legalize, RefusesWhatNoTargetRuns) {
  TestMachine machine;
  machine.policy.rules = {RuleFor("fast", {Target::kSimd, Target::kScalar})};
  machine.catalog.Refuse("broadcast_rows", Target::kScalar, "broken");
  ExpectError(MakeLegalize(), kNormGraph,
              "node %n (rms_norm): no target of rule fast runs it; simd: no simd kernel for "
              "rms_norm, and its parts: no simd kernel for row_sum_squares; scalar: no scalar "
              "kernel for rms_norm, and its parts: broken",
              machine);
}

TEST(Legalize, RefusesWhatNoRuleMatches) {
  TestMachine machine;
  machine.policy.rules[0].op = "silu";
  ExpectError(MakeLegalize(), kNormGraph, "policy test has no rule for node %n (rms_norm)",
              machine);
}

TEST(Legalize, HasACompositesRuleDecideForItsParts) {
  TestMachine machine = PartsOnSimd();
  Rule norms = RuleFor("norms", {Target::kSimd});
  norms.op = "rms_norm";
  machine.policy.rules.insert(machine.policy.rules.begin(), norms);
  Graph graph = RunPass(MakeLegalize(), kNormGraph, machine);
  EXPECT_EQ(graph.NodesOf(ops::kRsqrt)[0]->placement()->rule, "norms");
}

TEST(Legalize, ExpandsAttentionWithItsCacheAndBatch) {
  TestMachine machine;
  Graph graph = RunPass(MakeLegalize(), R"(
      graph @g stage(bound) symbols(T = 1..8, S = 1..32) (%q: f32[T,2,4], %b: batch) {
        %kv = kv_state() {id = 0} : kv<f16[1,4]>
        %a = attention(%q, %kv, %b) {scale = 0.5} : f32[T,8] in "layer.0/attn"
        return %a
      })",
                        machine);
  EXPECT_EQ(graph.NodesOf(ops::kSoftmax).size(), 2u);
  EXPECT_EQ(graph.NodesOf(ops::kAttention).size(), 0u);
  EXPECT_TRUE(graph.results()[0].node->Is(ops::kConcatColumns));
}

TEST(Legalize, ExpandsWhatWritesACacheAndHasAnotherResult) {
  Graph graph = RunPass(MakeLegalize(), R"(
      graph @g stage(bound) symbols(T = 1..8, S = 1..32) (%q: f32[T,8], %k: f32[T,4], %b: batch) {
        %w = weight() {name = "n"} : f32[4]
        %kv0 = kv_state() {id = 0} : kv<f16[1,4]>
        %kv, %h = attention_inputs(%kv0, %q, %k, %k, %w, %w, %b) {eps = 0.5, base = 100.0, freq_scale = 1.0, ext_factor = 0.0, attn_factor = 1.0, beta_fast = 32.0, beta_slow = 1.0, original_context = 0} : kv<f16[1,4]>, f32[T,2,4] in "a" from "write", "rope"
        %y = attention(%h, %kv, %b) {scale = 0.5} : f32[T,8]
        return %y, %h
      })",
                        Decomposing());
  Node* write = graph.NodesOf(ops::kKvWrite).at(0);
  EXPECT_EQ(write->result().name, "kv");
  EXPECT_EQ(write->result().origin, "write");
  EXPECT_EQ(write->scope(), "a");
  EXPECT_EQ(graph.NodesOf(ops::kKvRead).at(0)->input(0), write->output());
  std::vector<Node*> ropes = graph.NodesOf(ops::kRope);
  ASSERT_EQ(ropes.size(), 2u);
  EXPECT_EQ(graph.results()[1], ropes[0]->output());
  EXPECT_EQ(ropes[0]->result().origin, "rope");
  EXPECT_EQ(write->input(1), ropes[1]->output());
}

TEST(Legalize, ExpandsAsManyResultsAsThereAreParts) {
  ExpectRewrite(MakeLegalize(), R"(
      graph @g stage(bound) symbols(T = 1..8) (%x: f32[T,4]) {
        %w = weight() {name = "w"} : f32[6,4]
        %u = weight() {name = "u"} : f16[2,4]
        %a, %b, %c = multi_linear(%x, %w, %u, %w) : f32[T,6], f32[T,2], f32[T,6] in "a+b+c" from "a", "b", "c"
        return %a, %b, %c
      })",
                R"(
      graph @g stage(bound) symbols(T = 1..8) (%x: f32[T,4]) {
        %w = weight() {name = "w"} : f32[6,4]
        %u = weight() {name = "u"} : f16[2,4]
        %a = linear(%x, %w) : f32[T,6] in "a+b+c"
        %b = linear(%x, %u) : f32[T,2] in "a+b+c" from "b"
        %c = linear(%x, %w) : f32[T,6] in "a+b+c" from "c"
        return %a, %b, %c
      })",
                Decomposing());
}

// A composite of two equal composites and nothing else, made up: %x normed twice.
std::vector<Value> NormTwice(GraphBuilder& b, const Node& node) {
  Value once = ops::RmsNorm(b, node.input(0), node.input(1), 0.5);
  return {ops::RmsNorm(b, once, node.input(1), 0.25)};
}
constexpr InputSpec kTwoInputs[] = {{"x"}, {"weight"}};
constexpr OpDef kNormTwice = {
    .name = "norm_twice",
    .summary = "for this test",
    .inputs = kTwoInputs,
    .infer = [](const OpArgs& args) -> absl::StatusOr<Types> { return Types{args.input(0)}; },
    .cost = nullptr,
    .decompose = NormTwice,
};

Graph NestedGraph() {
  Graph graph("nested");
  Value x = graph.AddInput("x", ValueType::F32({Symbol::kT, 4}))->output();
  GraphBuilder b(&graph);
  Value w = ops::WeightRef(b, "n", ValueType::F32({4}));
  graph.AddResult(b.In("twice").EmitValue(kNormTwice, {x, w}));
  graph.set_symbols(TestMachine().symbols);
  graph.set_stage(Stage::kBound);
  return graph;
}

TEST(Legalize, ExpandsCompositesInsideComposites) {
  for (const TestMachine& machine : {TestMachine(), Decomposing()}) {
    Graph graph = NestedGraph();
    PassContext context = machine.Context();
    absl::StatusOr<bool> changed = MakeLegalize()->Run(graph, context);
    ASSERT_TRUE(changed.ok()) << changed.status();
    EXPECT_THAT(OpNames(graph),
                ElementsAre("input", "weight", "row_sum_squares", "scale", "add_scalar", "rsqrt",
                            "broadcast_rows", "mul", "mul", "row_sum_squares", "scale",
                            "add_scalar", "rsqrt", "broadcast_rows", "mul", "mul"));
    EXPECT_EQ(graph.results()[0].node->result().name, "twice");
    EXPECT_EQ(graph.results()[0].node->result().origin, "twice");
  }
}

TEST(Legalize, StopsExpandingWhereTheTargetRunsAPartWhole) {
  TestMachine machine;
  machine.catalog.Add("rms_norm", Target::kScalar);
  Graph graph = NestedGraph();
  PassContext context = machine.Context();
  ASSERT_TRUE(MakeLegalize()->Run(graph, context).ok());
  EXPECT_THAT(OpNames(graph), ElementsAre("input", "weight", "rms_norm", "rms_norm"));
  EXPECT_EQ(graph.results()[0].node->placement()->kernel, "rms_norm_scalar");
  // A pinned part is not looked at again, whatever its own rule would be.
  Rule elsewhere = RuleFor("elsewhere", {Target::kMetal});
  elsewhere.op = "rms_norm";
  machine.policy.rules.insert(machine.policy.rules.begin(), elsewhere);
  absl::StatusOr<bool> again = MakeLegalize()->Run(graph, context);
  ASSERT_TRUE(again.ok()) << again.status();
  EXPECT_FALSE(*again);
}

}  // namespace
}  // namespace infer
