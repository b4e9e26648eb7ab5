// SPDX-License-Identifier: Apache-2.0
#include "passes/check_policy.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>

#include "passes/cut_regimes.h"
#include "passes/passes.h"
#include "tests/support/graph_test.h"

namespace infer {
namespace {

using test::GraphOf;
using test::RuleFor;
using test::TestMachine;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr std::string_view kGraph = R"(
    graph @g stage(bound) symbols(T = 1..64, R = 1..1, S = 1..64) (%x: f32[T,32]) {
      %w = weight() {name = "w"} : q8_0[32,32]
      %g = weight() {name = "g"} : f32[32]
      %n = rms_norm(%x, %g) {eps = 1e-06} : f32[T,32] in "layer.0/norm"
      %t = linear(%n, %w) : f32[T,32] in "layer.0/proj"
      %u = linear(%t, %w) : f32[T,32] in "layer.1/proj"
      return %u
    })";

struct CheckPolicyTest : ::testing::Test {
  CheckPolicyTest() { machine.catalog.Add("rms_norm", Target::kScalar); }

  // Before the rule for everything.
  Rule& AddRule(std::string name, std::vector<Target> targets = {Target::kScalar}) {
    auto& rules = machine.policy.rules;
    return *rules.insert(rules.end() - 1, RuleFor(std::move(name), std::move(targets)));
  }

  std::vector<std::string> Findings() {
    Graph graph = GraphOf(kGraph);
    absl::StatusOr<std::vector<Range>> ranges = CutRegimes(graph, machine.policy, machine.catalog);
    if (!ranges.ok()) return {ranges.status().ToString()};
    std::vector<Regime> regimes;
    PassContext context = machine.Context();
    for (const Range& tokens : *ranges) {
      Graph copy = graph.Clone();
      copy.set_symbols(RegimeSymbols(graph.symbols(), tokens));
      for (const auto& pass : {MakeLegalize(), MakePlaceNodes()}) {
        absl::StatusOr<bool> changed = pass->Run(copy, context);
        if (!changed.ok()) return {changed.status().ToString()};
      }
      for (Node* node : copy.nodes()) {
        if (!change || !node->placement()) continue;
        Placement placement = *node->placement();
        change(&placement);
        node->set_placement(placement);
      }
      regimes.push_back({tokens.min, tokens.max, std::move(copy)});
    }
    std::vector<std::string> texts;
    for (const PolicyFinding& finding : CheckPolicy(graph, regimes, machine.policy)) {
      texts.push_back(std::string(Name(finding.kind)) + " " + Describe(finding));
    }
    return texts;
  }

  TestMachine machine;
  std::function<void(Placement*)> change;  // of every placement
};

TEST_F(CheckPolicyTest, HasNothingToSayAboutRulesThatDecide) {
  AddRule("big").rows.min = 8;
  AddRule("proj").scope = "*/proj";
  EXPECT_THAT(Findings(), IsEmpty());
}

TEST_F(CheckPolicyTest, FindsARuleThatMatchesNothing) {
  AddRule("ropes").op = "rope";
  EXPECT_THAT(Findings(), ElementsAre(HasSubstr("matches-nothing rule ropes: matches no node: none "
                                                "has op rope")));
}

TEST_F(CheckPolicyTest, FindsAShadowedRule) {
  AddRule("linears").op = "linear";
  AddRule("proj").scope = "layer.1/proj";
  EXPECT_THAT(Findings(), ElementsAre("shadowed rule proj: is shadowed: it matches 1 node, each "
                                      "decided by an earlier rule: linears"));
}

// Two rules that take all rows between them shadow a third, though none alone does.
TEST_F(CheckPolicyTest, FindsARuleThatSeveralShadowTogether) {
  AddRule("many").rows.min = 8;
  AddRule("few").rows.max = 7;
  AddRule("linears").op = "linear";
  EXPECT_THAT(Findings(), ElementsAre(HasSubstr("earlier rule: many, few")));
  machine.policy.rules[1].rows.max = 6;
  EXPECT_THAT(Findings(), IsEmpty()) << "7 rows are left for it";
}

TEST_F(CheckPolicyTest, ARuleForTheRestMayHaveNothingLeft) {
  AddRule("all-there-is").rows.min = 1;
  EXPECT_THAT(Findings(), IsEmpty());
  AddRule("second").rows.min = 1;
  EXPECT_THAT(Findings(), ElementsAre(HasSubstr("shadowed rule second")));
}

TEST_F(CheckPolicyTest, LooksAtPartsWhereEverythingIsDecomposed) {
  AddRule("roots").op = "rsqrt";
  EXPECT_THAT(Findings(), ElementsAre(HasSubstr("none has op rsqrt")));
  machine.policy.composites = Policy::Composites::kDecompose;
  EXPECT_THAT(Findings(), IsEmpty());
  AddRule("norms").op = "rms_norm";
  EXPECT_THAT(Findings(), ElementsAre(HasSubstr("matches-nothing rule norms")));
}

// A node that legalize takes apart is still the node that the rule is about.
TEST_F(CheckPolicyTest, ARuleThatDecidesAboutAnExpandedNodeDecides) {
  machine.catalog.Refuse("rms_norm", Target::kScalar, "in parts, please");
  AddRule("norms").op = "rms_norm";
  EXPECT_THAT(Findings(), IsEmpty());
  AddRule("norms-again").op = "rms_norm";
  EXPECT_THAT(Findings(), ElementsAre(HasSubstr("shadowed rule norms-again")));
}

TEST_F(CheckPolicyTest, SaysWhatRunsWhereATargetIsNotThere) {
  machine.catalog.SetUnavailable(Target::kMetal, "this machine has no metal device");
  machine.catalog.Add("linear", Target::kSimd);
  AddRule("gpu", {Target::kMetal, Target::kSimd, Target::kScalar}).op = "linear";
  machine.policy.rules[0].rows.min = 8;
  EXPECT_THAT(Findings(),
              ElementsAre("unavailable rule gpu: metal is unavailable: this machine has "
                          "no metal device; 2 of 2 nodes run on simd instead"));
}

TEST_F(CheckPolicyTest, SaysWhyEachTargetBeforeTheOneThatRunsWasPassedOver) {
  machine.catalog.SetUnavailable(Target::kMetal, "this machine has no metal device");
  machine.catalog.Refuse("linear", Target::kParallel, "linear has one row only");
  machine.catalog.Refuse("linear", Target::kSimd, "linear is not vectorised");
  AddRule("gpu", {Target::kMetal, Target::kParallel, Target::kSimd, Target::kScalar}).op = "linear";
  EXPECT_THAT(Findings(),
              ElementsAre("unavailable rule gpu: metal is unavailable: this machine has no metal "
                          "device; parallel: linear has one row only; simd: linear is not "
                          "vectorised; 2 of 2 nodes run on scalar instead"));
}

// A placement may say of a target behind the one that runs the node that it could not.
TEST_F(CheckPolicyTest, LeavesOutTargetsBehindTheOneThatRuns) {
  machine.catalog.SetUnavailable(Target::kMetal, "this machine has no metal device");
  machine.catalog.Add("linear", Target::kSimd);
  AddRule("gpu", {Target::kMetal, Target::kSimd, Target::kScalar}).op = "linear";
  change = [](Placement* placement) {
    for (Rejected& rejected : placement->rejected) {
      if (rejected.target != Target::kScalar) continue;
      rejected = {Target::kScalar, Rejected::Code::kNoKernel, "no scalar kernel"};
    }
  };
  EXPECT_THAT(Findings(),
              ElementsAre("unavailable rule gpu: metal is unavailable: this machine has "
                          "no metal device; 2 of 2 nodes run on simd instead"));
}

TEST_F(CheckPolicyTest, SaysWhichNodesAreNotWhereARuleWantsThem) {
  machine.catalog.Add("linear", Target::kSimd);
  Rule& rule = AddRule("place layer=0=simd", {Target::kSimd, Target::kScalar});
  rule.layer = {0, 0};
  rule.is_override = true;
  EXPECT_THAT(Findings(), ElementsAre(::testing::AllOf(
                              HasSubstr("fallback place layer=0=simd: simd: no simd kernel for "
                                        "rms_norm"),
                              HasSubstr("; 1 of 2 nodes run on scalar instead"))));
}

}  // namespace
}  // namespace infer
