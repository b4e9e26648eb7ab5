// SPDX-License-Identifier: Apache-2.0
#include "passes/cut_regimes.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <utility>

#include "ir/base/strings.h"
#include "ir/program/program.h"
#include "passes/passes.h"
#include "passes/pipeline.h"
#include "tests/support/graph_test.h"

namespace infer {
namespace {

using test::GraphOf;
using test::RuleFor;
using test::TestMachine;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

// T = 1..64, R = 1..16, S = 1..1024; a norm, a projection of T rows, one of R rows and one of S.
constexpr std::string_view kTwoLinears = R"(
    graph @g stage(bound) symbols(T = 1..64, R = 1..16, S = 1..1024)
        (%x: f32[T,32], %y: f32[S,32], %b: batch) {
      %w = weight() {name = "w"} : q8_0[6,32]
      %g = weight() {name = "g"} : f32[32]
      %n = rms_norm(%x, %g) {eps = 1e-06} : f32[T,32] in "layer.0/norm"
      %t = linear(%n, %w) : f32[T,6] in "layer.0/proj"
      %s = linear(%y, %w) : f32[S,6] in "layer.1/proj"
      %r = select_rows(%n, %b) : f32[R,32] in "rows"
      %l = linear(%r, %w) : f32[R,6] in "logits"
      return %t, %s, %l
    })";

Rule RowsFrom(std::string name, int64_t rows, std::vector<Target> targets = {Target::kScalar}) {
  Rule rule = RuleFor(std::move(name), std::move(targets));
  rule.op = "linear";
  rule.rows.min = rows;
  return rule;
}

struct CutRegimesTest : ::testing::Test {
  CutRegimesTest() { machine.catalog.Add("rms_norm", Target::kScalar); }

  void AddRule(Rule rule) {
    machine.policy.rules.insert(machine.policy.rules.end() - 1, std::move(rule));
  }
  absl::StatusOr<std::vector<Range>> Cut() {
    return CutRegimes(GraphOf(text), machine.policy, machine.catalog);
  }
  std::vector<std::string> Intervals() {
    absl::StatusOr<std::vector<Range>> ranges = Cut();
    if (!ranges.ok()) return {ranges.status().ToString()};
    std::vector<std::string> intervals;
    for (const Range& range : *ranges) intervals.push_back(StrCat(range.min, "..", range.max));
    return intervals;
  }

  TestMachine machine;
  std::string_view text = kTwoLinears;
};

TEST_F(CutRegimesTest, APolicyWithoutThresholdsHasOneRegime) {
  EXPECT_THAT(Intervals(), ElementsAre("1..64"));
}

// The ops of S and R rows are out of the way here: see below.
TEST_F(CutRegimesTest, CutsWhereRowsReachAThreshold) {
  for (int64_t rows : {8, 4}) AddRule(RowsFrom(StrCat("from-", rows), rows));
  for (Rule& rule : machine.policy.rules) rule.scope = rule.name == "all" ? "" : "layer.0/*";
  EXPECT_THAT(Intervals(), ElementsAre("1..3", "4..7", "8..64"));
}

TEST_F(CutRegimesTest, CutsBehindTheMostRowsOfARule) {
  AddRule(RowsFrom("few", 2));
  machine.policy.rules[0].rows.max = 5;
  machine.policy.rules[0].scope = "layer.0/*";
  EXPECT_THAT(Intervals(), ElementsAre("1..1", "2..5", "6..64"));
}

TEST_F(CutRegimesTest, CutsAtTokensAndAtElements) {
  AddRule(RuleFor("long", {Target::kScalar}));
  machine.policy.rules[0].tokens.min = 10;
  AddRule(RuleFor("large", {Target::kScalar}));
  machine.policy.rules[1].scope = "layer.0/norm";
  machine.policy.rules[1].elements.min = 32 * 3;
  EXPECT_THAT(Intervals(), ElementsAre("1..2", "3..9", "10..64"));
}

TEST_F(CutRegimesTest, CutsAtFlops) {
  AddRule(RuleFor("work", {Target::kScalar}));
  machine.policy.rules[0].scope = "layer.0/proj";
  machine.policy.rules[0].flops.min = 2 * 6 * 32 * 20 - 1;  // a row takes 2 * 6 * 32
  EXPECT_THAT(Intervals(), ElementsAre("1..19", "20..64"));
}

TEST_F(CutRegimesTest, StaticQuantitiesCutNothing) {
  AddRule(RuleFor("static", {Target::kScalar}));
  Rule& rule = machine.policy.rules[0];
  rule.weight_bytes.min = 100;
  rule.columns.max = 6;
  rule.inner.min = 1;
  rule.layer.max = 0;
  EXPECT_THAT(Intervals(), ElementsAre("1..64"));
}

TEST_F(CutRegimesTest, AThresholdOutsideTheRangeCutsNothing) {
  AddRule(RowsFrom("never", 2000));
  AddRule(RowsFrom("always", 1));
  EXPECT_THAT(Intervals(), ElementsAre("1..64"));
}

// R is taken at its most: min(16, T).
TEST_F(CutRegimesTest, RowsOfLogitsGrowWithTheTokensUpToTheirLimit) {
  AddRule(RowsFrom("many-logits", 12));
  machine.policy.rules[0].scope = "logits";
  EXPECT_THAT(Intervals(), ElementsAre("1..11", "12..64"));
  machine.policy.rules[0].rows.min = 17;  // never wanted
  EXPECT_THAT(Intervals(), ElementsAre("1..64"));
}

// S is taken at its upper end, whatever T is.
TEST_F(CutRegimesTest, TheLengthOfTheCacheCutsNothing) {
  AddRule(RowsFrom("long-cache", 500));
  machine.policy.rules[0].scope = "layer.1/*";
  EXPECT_THAT(Intervals(), ElementsAre("1..64"));
}

TEST_F(CutRegimesTest, CutsWhereAKernelsRowsEnd) {
  machine.policy.rules[0].targets = {Target::kSimd, Target::kScalar};
  machine.catalog.Add("rms_norm", Target::kSimd).LimitRows("rms_norm", Target::kSimd, {3, 20});
  EXPECT_THAT(Intervals(), ElementsAre("1..2", "3..20", "21..64"));
}

TEST_F(CutRegimesTest, AKernelOfATargetThatNoRuleListsCutsNothing) {
  machine.catalog.Add("rms_norm", Target::kSimd).LimitRows("rms_norm", Target::kSimd, {3, 20});
  EXPECT_THAT(Intervals(), ElementsAre("1..64"));
}

TEST_F(CutRegimesTest, AKernelBehindOneThatTakesAllCutsNothing) {
  machine.policy.rules[0].targets = {Target::kScalar, Target::kSimd};
  machine.catalog.Add("rms_norm", Target::kSimd).LimitRows("rms_norm", Target::kSimd, {3, 20});
  EXPECT_THAT(Intervals(), ElementsAre("1..64")) << "candidates that decide nothing are merged";
}

TEST_F(CutRegimesTest, ARuleBehindOneThatMatchesAllCutsNothing) {
  AddRule(RuleFor("first", {Target::kScalar}));
  AddRule(RowsFrom("shadowed", 8));
  EXPECT_THAT(Intervals(), ElementsAre("1..64"));
}

// A rule of another name with the same target is another record.
TEST_F(CutRegimesTest, TheRuleIsPartOfTheRecord) {
  AddRule(RowsFrom("eight", 8));
  machine.policy.rules[0].scope = "layer.0/*";
  machine.policy.rules[0].targets = machine.policy.rules[1].targets;
  EXPECT_THAT(Intervals(), ElementsAre("1..7", "8..64"));
}

TEST_F(CutRegimesTest, TheKernelsOfPartsCutWhereTheWholeIsExpanded) {
  machine.catalog.Refuse("rms_norm", Target::kScalar, "in parts, please");
  machine.policy.rules[0].targets = {Target::kSimd, Target::kScalar};
  for (const char* op :
       {"row_sum_squares", "scale", "add_scalar", "rsqrt", "broadcast_rows", "mul"}) {
    machine.catalog.Add(op, Target::kSimd);
  }
  EXPECT_THAT(Intervals(), ElementsAre("1..64"));
  machine.catalog.LimitRows("rsqrt", Target::kSimd, {1, 9});
  EXPECT_THAT(Intervals(), ElementsAre("1..9", "10..64"));
  // Whole again, the parts no longer matter.
  machine.catalog.Add("rms_norm", Target::kSimd);
  EXPECT_THAT(Intervals(), ElementsAre("1..64"));
}

TEST_F(CutRegimesTest, TheRulesOfPartsCutWhereEverythingIsDecomposed) {
  AddRule(RowsFrom("rsqrt-from-5", 5));
  machine.policy.rules[0].op = "rsqrt";
  EXPECT_THAT(Intervals(), ElementsAre("1..64")) << "the norm runs whole";
  machine.policy.composites = Policy::Composites::kDecompose;
  EXPECT_THAT(Intervals(), ElementsAre("1..4", "5..64"));
}

// The two norms differ in their layer alone, which no rule about norms asks for.
TEST_F(CutRegimesTest, ARuleForThePartsOfOneLayerCutsThere) {
  text = R"(
      graph @g stage(bound) symbols(T = 1..64) (%x: f32[T,32]) {
        %g = weight() {name = "g"} : f32[32]
        %n = rms_norm(%x, %g) {eps = 1e-06} : f32[T,32] in "layer.0/norm"
        %m = rms_norm(%n, %g) {eps = 1e-06} : f32[T,32] in "layer.1/norm"
        return %m
      })";
  machine.policy.composites = Policy::Composites::kDecompose;
  AddRule(RowsFrom("late", 5));
  Rule& rule = machine.policy.rules[0];
  rule.op = "rsqrt";
  rule.layer.min = 1;
  EXPECT_THAT(Intervals(), ElementsAre("1..4", "5..64"));
  rule.layer = {};
  rule.node_regex = *NameRegex::Compile("layer.1");
  EXPECT_THAT(Intervals(), ElementsAre("1..4", "5..64"));
  rule.node_regex = {};
  rule.scope = "layer.1/*";
  EXPECT_THAT(Intervals(), ElementsAre("1..4", "5..64"));
}

TEST_F(CutRegimesTest, PhasesAreOneTokenAndMore) {
  AddRule(RuleFor("one", {Target::kScalar}));
  machine.policy.rules[0].phase = Phase::kDecode;
  EXPECT_THAT(Intervals(), ElementsAre("1..1", "2..64"));
  machine.policy.rules[0].phase = Phase::kPrefill;
  EXPECT_THAT(Intervals(), ElementsAre("1..1", "2..64"));
}

TEST_F(CutRegimesTest, ANodeThatNoRuleMatchesIsLeftToThePassThatPlacesIt) {
  machine.policy.rules = {RowsFrom("linear-only", 8)};
  EXPECT_TRUE(Cut().ok());
}

// No rule and a rule whose target is not there are both errors, but not the same one.
TEST_F(CutRegimesTest, ARuleThatCannotBeCarriedOutCutsAllTheSame) {
  machine.policy.rules = {RuleFor("gpu", {Target::kMetal})};
  machine.policy.rules[0].rows.min = 8;
  machine.policy.rules[0].scope = "layer.0/*";
  EXPECT_THAT(Intervals(), ElementsAre("1..7", "8..64"));
}

TEST_F(CutRegimesTest, TakesSixteenRegimesAndRefusesMoreWithTheRulesResponsible) {
  for (int64_t rows = 16; rows >= 2; --rows) {
    AddRule(RowsFrom(StrCat("from-", rows), rows));
    machine.policy.rules[machine.policy.rules.size() - 2].scope = "layer.0/*";
  }
  absl::StatusOr<std::vector<Range>> sixteen = Cut();
  ASSERT_TRUE(sixteen.ok()) << sixteen.status();
  EXPECT_EQ(sixteen->size(), kMaxRegimes);
  machine.policy.rules.insert(machine.policy.rules.begin(), RowsFrom("from-60", 60));
  machine.policy.rules[0].scope = "layer.0/*";
  absl::Status status = Cut().status();
  EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
  std::string message(status.message());
  EXPECT_THAT(message, HasSubstr("policy test cuts T = 1..64 into 17 regimes, more than 16"));
  EXPECT_THAT(message, HasSubstr("rule from-60 (1 cut)"));
  EXPECT_THAT(message, HasSubstr("rule from-2 (1 cut)"));
}

// What the pipeline decides for a range of T: rule, target and kernel of every node in order.
std::vector<std::string> DecisionsFor(const TestMachine& machine, std::string_view text,
                                      Range tokens) {
  Graph graph = GraphOf(text);
  graph.set_symbols(RegimeSymbols(graph.symbols(), tokens));
  PassContext context = machine.Context();
  std::vector<std::string> decisions;
  for (const auto& pass : {MakeLegalize(), MakePlaceNodes()}) {
    absl::StatusOr<bool> changed = pass->Run(graph, context);
    if (!changed.ok()) return {changed.status().ToString()};
  }
  for (const Node* node : graph.nodes()) {
    if (!node->placement()) continue;
    decisions.push_back(StrCat(node->placement()->rule, " ", Name(node->placement()->target), " ",
                               node->placement()->kernel));
  }
  return decisions;
}

// Policies made of random thresholds and limits: inside an interval every T decides alike, as the
// interval does, and across a border something differs.
TEST_F(CutRegimesTest, EveryTokenCountOfAnIntervalDecidesAlike) {
  uint32_t state = 1;
  auto random = [&](uint32_t below) {
    state = state * 1664525u + 1013904223u;
    return static_cast<int64_t>((state >> 8) % below);
  };
  for (int round = 0; round < 40; ++round) {
    machine = TestMachine();
    machine.policy.rules[0].targets = {Target::kSimd, Target::kScalar};
    machine.catalog.Add("linear", Target::kSimd);
    machine.catalog.LimitRows("linear", Target::kSimd, {1 + random(6), 8 + random(60)});
    if (random(2) == 0) machine.catalog.Add("rms_norm", Target::kScalar);
    if (random(2) == 0) machine.policy.composites = Policy::Composites::kDecompose;
    for (int i = 0; i < 3; ++i) {
      AddRule(RowsFrom(StrCat("rule-", i), 1 + random(40), {Target::kScalar}));
      Rule& rule = machine.policy.rules[i];
      if (random(2) == 0) rule.op = "";
      if (random(2) == 0) rule.targets = {Target::kSimd, Target::kScalar};
      if (random(2) == 0) rule.rows.max = *rule.rows.min + random(20);
      if (random(3) == 0) rule.elements.min = random(500);
      if (random(3) == 0) rule.flops.max = random(20000);
    }
    absl::StatusOr<std::vector<Range>> ranges = Cut();
    ASSERT_TRUE(ranges.ok()) << ranges.status();
    int64_t next = 1;
    std::vector<std::string> former;
    for (const Range& range : *ranges) {
      ASSERT_EQ(range.min, next) << round;
      next = range.max + 1;
      std::vector<std::string> whole = DecisionsFor(machine, text, range);
      for (int64_t tokens = range.min; tokens <= range.max; ++tokens) {
        ASSERT_EQ(DecisionsFor(machine, text, {tokens, tokens}), whole)
            << "round " << round << ", T = " << tokens << " of " << range.min << ".." << range.max;
      }
      EXPECT_NE(whole, former) << "round " << round << ", T = " << range.min;
      former = std::move(whole);
    }
    EXPECT_EQ(next, 65) << round;
  }
}

}  // namespace
}  // namespace infer
