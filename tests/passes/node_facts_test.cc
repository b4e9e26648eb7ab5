// SPDX-License-Identifier: Apache-2.0
#include "passes/node_facts.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>

#include "ir/base/strings.h"
#include "ir/ops/ops.h"
#include "tests/support/graph_test.h"

namespace infer {
namespace {

using test::GraphOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

// T is 2 to 8, so that a bound below 2 or above 8 is on one side of the range.
Graph LinearGraph(std::string_view scope = "layer.12/attn/q_proj") {
  return GraphOf(StrCat(R"(
      graph @g stage(bound) symbols(T = 2..8, R = 1..2, S = 1..32) (%x: f32[T,32]) {
        %w = weight() {name = "w"} : q8_0[6,32]
        %y = linear(%x, %w) : f32[T,6] in ")",
                        scope, R"("
        return %y
      })"));
}

TEST(NodeFacts, CountsWhatPredicatesAskFor) {
  Graph graph = LinearGraph();
  NodeFacts facts = FactsOf(*graph.NodesOf(ops::kLinear)[0]);
  EXPECT_EQ(facts.op, "linear");
  EXPECT_EQ(facts.family, "linear");
  EXPECT_THAT(facts.scopes, ElementsAre("layer.12/attn/q_proj"));
  EXPECT_THAT(facts.names, ElementsAre("y", "w"));
  EXPECT_EQ(facts.layer, 12);
  EXPECT_THAT(facts.weight_types, ElementsAre(DType::kQ8_0));
  EXPECT_EQ(facts.tokens, (SymbolicCount{.ct = 1}));
  EXPECT_EQ(facts.rows, (SymbolicCount{.ct = 1}));
  EXPECT_EQ(facts.columns, (SymbolicCount{.c0 = 6}));
  EXPECT_EQ(facts.inner, (SymbolicCount{.c0 = 32}));
  EXPECT_EQ(facts.elements, (SymbolicCount{.ct = 6}));
  EXPECT_EQ(facts.flops, (SymbolicCount{.ct = 2 * 6 * 32}));
  EXPECT_EQ(facts.weight_bytes, (SymbolicCount{.c0 = 6 * 34}));  // a block of 32 takes 34 bytes
}

TEST(NodeFacts, SumsColumnsOverResults) {
  Graph graph = GraphOf(R"(
      graph @g stage(bound) symbols(R = 1..2) (%x: f32[R,32]) {
        %i, %p = argmax(%x) : i32[R], f32[R]
        return %i
      })");
  NodeFacts facts = FactsOf(*graph.NodesOf(ops::kArgmax)[0]);
  EXPECT_EQ(facts.columns, (SymbolicCount{.c0 = 2}));
  EXPECT_EQ(facts.elements, (SymbolicCount{.cr = 1}));
  EXPECT_THAT(facts.weight_types, IsEmpty());
}

TEST(NodeFacts, SumsOverThePartsOfAFusedNode) {
  Graph graph = GraphOf(R"(
      graph @g stage(bound) symbols(T = 1..8) (%x: f32[T,32]) {
        %w = weight() {name = "w"} : q8_0[6,32]
        %u = weight() {name = "u"} : f16[2,32]
        %a, %b = multi_linear(%x, %w, %u) : f32[T,6], f32[T,2]
        return %a, %b
      })");
  NodeFacts facts = FactsOf(*graph.NodesOf(ops::kMultiLinear)[0]);
  EXPECT_EQ(facts.rows, (SymbolicCount{.ct = 1}));
  EXPECT_EQ(facts.columns, (SymbolicCount{.c0 = 8}));
  EXPECT_EQ(facts.flops, (SymbolicCount{.ct = 2 * 32 * 8}));
  EXPECT_EQ(facts.weight_bytes, (SymbolicCount{.c0 = 6 * 34 + 2 * 64}));
  EXPECT_THAT(facts.weight_types, ElementsAre(DType::kQ8_0, DType::kF16));
}

TEST(NodeFacts, CountsRowsOfTheFirstTensorIfACacheComesBefore) {
  Graph graph = GraphOf(R"(
      graph @g stage(bound) symbols(T = 1..8, S = 1..32) (%q: f32[T,16], %k: f32[T,8], %b: batch) {
        %w = weight() {name = "n"} : f32[4]
        %kv0 = kv_state() {id = 0} : kv<f16[2,4]>
        %kv, %h = attention_inputs(%kv0, %q, %k, %k, %w, %w, %b) {eps = 0.5, base = 100.0, freq_scale = 1.0, ext_factor = 0.0, attn_factor = 1.0, beta_fast = 32.0, beta_slow = 1.0, original_context = 0} : kv<f16[2,4]>, f32[T,4,4]
        return %h
      })");
  NodeFacts facts = FactsOf(*graph.NodesOf(ops::kAttentionInputs)[0]);
  EXPECT_EQ(facts.rows, (SymbolicCount{.ct = 1}));
  EXPECT_EQ(facts.columns, (SymbolicCount{.c0 = 16}));
  EXPECT_EQ(facts.elements, (SymbolicCount{.ct = 16}));
  EXPECT_EQ(facts.inner, (SymbolicCount{.c0 = 16}));
}

// No op has both yet, so the node is one that no verifier would take.
TEST(NodeFacts, AMatrixDecidesTheWeightTypeAndNotAVectorBesideIt) {
  Graph graph;
  Value x = graph.AddInput("x", ValueType::F32({Symbol::kT, 32}))->output();
  GraphBuilder b(&graph);
  Value matrix = ops::WeightRef(b, "m", ValueType::Tensor(DType::kQ8_0, {6, 32}));
  Value vector = ops::WeightRef(b, "v", ValueType::F32({32}));
  Node* both = graph.Insert(nullptr, ops::kMultiLinear, {x, matrix, vector}, {}, {x.type()});
  EXPECT_THAT(FactsOf(*both).weight_types, ElementsAre(DType::kQ8_0));
  EXPECT_EQ(FactsOf(*both).weight_bytes, (SymbolicCount{.c0 = 6 * 34 + 32 * 4}));
  Node* alone = ops::RmsNorm(b, x, vector, 0.5).node;
  EXPECT_THAT(FactsOf(*alone).weight_types, ElementsAre(DType::kF32));
}

TEST(NodeFacts, TakesAScalarForANodeWithoutRows) {
  Graph graph = GraphOf(R"(
      graph @g stage(bound) (%x: f32[]) {
        %y = silu(%x) : f32[]
        return %y
      })");
  NodeFacts facts = FactsOf(*graph.NodesOf(ops::kSilu)[0]);
  EXPECT_EQ(facts.inner, SymbolicCount{});
  EXPECT_EQ(facts.rows, SymbolicCount{});
}

TEST(NodeFacts, FindsTheLayerInTheScopeAlone) {
  auto layer_in = [](std::string_view scope) {
    Graph graph = LinearGraph(scope);
    return FactsOf(*graph.NodesOf(ops::kLinear)[0]).layer;
  };
  EXPECT_EQ(layer_in("layer.0/ffn"), 0);
  EXPECT_EQ(layer_in("layer.7"), 7);
  EXPECT_EQ(layer_in("output/norm"), std::nullopt);
  EXPECT_EQ(layer_in("layer./x"), std::nullopt);
  EXPECT_EQ(layer_in("layer.-1/x"), std::nullopt);
  EXPECT_EQ(layer_in("layer.3x/y"), std::nullopt);
  EXPECT_EQ(layer_in("layer.99999999999999999999/y"), std::nullopt);
}

// Each predicate, with a value that holds, one that does not, and one that splits the range of T.
struct PredicateCase {
  const char* name;
  std::function<void(Rule&)> set;
  bool matches;
  bool splits = false;
};

class Predicates : public ::testing::TestWithParam<PredicateCase> {};

TEST_P(Predicates, MatchOrNot) {
  Rule rule = test::RuleFor("r", {Target::kScalar});
  GetParam().set(rule);
  Graph graph = LinearGraph();
  RuleMatch match = Match(rule, FactsOf(*graph.NodesOf(ops::kLinear)[0]), graph.symbols());
  EXPECT_EQ(match.splits.has_value(), GetParam().splits);
  if (GetParam().splits) return;
  EXPECT_EQ(match.matches, GetParam().matches);
}

const PredicateCase kPredicates[] = {
    {"none", [](Rule&) {}, true},
    {"op", [](Rule& r) { r.op = "linear"; }, true},
    {"other_op", [](Rule& r) { r.op = "silu"; }, false},
    {"op_glob", [](Rule& r) { r.op = "li*"; }, true},
    {"other_op_glob", [](Rule& r) { r.op = "multi_*"; }, false},
    {"node_by_its_name", [](Rule& r) { r.node = "?"; }, true},
    {"node_by_its_scope", [](Rule& r) { r.node = "layer.12/*"; }, true},
    {"other_node", [](Rule& r) { r.node = "layer.13/*"; }, false},
    {"regex_in_a_weight", [](Rule& r) { r.node_regex = *NameRegex::Compile("^w$"); }, true},
    {"regex_in_a_scope", [](Rule& r) { r.node_regex = *NameRegex::Compile("attn/[qk]_"); }, true},
    {"other_regex", [](Rule& r) { r.node_regex = *NameRegex::Compile("ffn"); }, false},
    {"prefill", [](Rule& r) { r.phase = Phase::kPrefill; }, true},
    {"decode", [](Rule& r) { r.phase = Phase::kDecode; }, false},
    {"scope", [](Rule& r) { r.scope = "layer.*/attn/?_proj"; }, true},
    {"other_scope", [](Rule& r) { r.scope = "layer.*/ffn/*"; }, false},
    {"weight_type", [](Rule& r) { r.weight_type = "q8_0"; }, true},
    {"other_weight_type", [](Rule& r) { r.weight_type = "f16"; }, false},
    {"layer_from", [](Rule& r) { r.layer.min = 12; }, true},
    {"layer_from_later", [](Rule& r) { r.layer.min = 13; }, false},
    {"layer_to", [](Rule& r) { r.layer.max = 12; }, true},
    {"layer_to_earlier", [](Rule& r) { r.layer.max = 11; }, false},
    {"tokens_from", [](Rule& r) { r.tokens.min = 2; }, true},
    {"tokens_from_more", [](Rule& r) { r.tokens.min = 9; }, false},
    {"tokens_from_inside", [](Rule& r) { r.tokens.min = 3; }, true, true},
    {"tokens_to", [](Rule& r) { r.tokens.max = 8; }, true},
    {"tokens_to_fewer", [](Rule& r) { r.tokens.max = 1; }, false},
    {"tokens_to_inside", [](Rule& r) { r.tokens.max = 2; }, true, true},
    {"rows", [](Rule& r) { r.rows = {2, 8}; }, true},
    {"more_rows", [](Rule& r) { r.rows.min = 9; }, false},
    {"rows_inside", [](Rule& r) { r.rows.min = 8; }, true, true},
    {"columns", [](Rule& r) { r.columns = {6, 6}; }, true},
    {"more_columns", [](Rule& r) { r.columns.min = 7; }, false},
    {"inner", [](Rule& r) { r.inner = {32, 32}; }, true},
    {"less_inner", [](Rule& r) { r.inner.max = 31; }, false},
    {"elements", [](Rule& r) { r.elements = {12, 48}; }, true},
    {"more_elements", [](Rule& r) { r.elements.min = 49; }, false},
    {"elements_inside", [](Rule& r) { r.elements.max = 47; }, true, true},
    {"flops", [](Rule& r) { r.flops = {768, 3072}; }, true},
    {"more_flops", [](Rule& r) { r.flops.min = 3073; }, false},
    {"weight_bytes", [](Rule& r) { r.weight_bytes = {204, 204}; }, true},
    {"fewer_weight_bytes", [](Rule& r) { r.weight_bytes.max = 203; }, false},
    {"one_of_two_does_not_hold",
     [](Rule& r) {
       r.op = "linear";
       r.columns.min = 7;
     },
     false},
    {"a_split_does_not_matter_if_another_does_not_hold",
     [](Rule& r) {
       r.rows.min = 4;
       r.columns.min = 7;
     },
     false},
};

std::string PredicateName(const ::testing::TestParamInfo<PredicateCase>& info) {
  return info.param.name;
}
INSTANTIATE_TEST_SUITE_P(NodeFacts, Predicates, ::testing::ValuesIn(kPredicates), PredicateName);

TEST(NodeFacts, ANodeOutsideLayersMatchesNoLayer) {
  Rule rule = test::RuleFor("r", {Target::kScalar});
  rule.layer.min = 0;
  Graph graph = LinearGraph("output/logits");
  NodeFacts facts = FactsOf(*graph.NodesOf(ops::kLinear)[0]);
  EXPECT_FALSE(Match(rule, facts, graph.symbols()).matches);
}

TEST(NodeFacts, ANodeWithoutWeightsMatchesNoWeightType) {
  Rule rule = test::RuleFor("r", {Target::kScalar});
  rule.weight_type = "f32";
  NodeFacts facts;
  EXPECT_FALSE(Match(rule, facts, {}).matches);
  facts.weight_types = {DType::kF32, DType::kF16};
  EXPECT_FALSE(Match(rule, facts, {}).matches) << "all weights must be of the type";
  facts.weight_types = {DType::kF32, DType::kF32};
  EXPECT_TRUE(Match(rule, facts, {}).matches);
}

// What a user knows as a projection stays one after fusion.
TEST(NodeFacts, AnOpsNameMatchesWhatFusionMakesOfIt) {
  Graph graph = GraphOf(R"(
      graph @g stage(bound) symbols(T = 1..8) (%x: f32[T,32]) {
        %w = weight() {name = "w"} : q8_0[6,32]
        %a, %b = multi_linear(%x, %w, %w) : f32[T,6], f32[T,6] in "q+k+v"
        return %a, %b
      })");
  auto matches = [&](std::string_view op) {
    Rule rule = test::RuleFor("r", {Target::kScalar});
    rule.op = std::string(op);
    return Match(rule, FactsOf(*graph.NodesOf(ops::kMultiLinear)[0]), graph.symbols()).matches;
  };
  EXPECT_TRUE(matches("linear"));
  EXPECT_TRUE(matches("multi_linear"));
  EXPECT_TRUE(matches("*linear*"));
  EXPECT_FALSE(matches("linear?")) << "a glob is about the name alone";
}

TEST(NodeFacts, AScopeMatchesANodeThatItWasMergedInto) {
  Graph graph = GraphOf(R"(
      graph @g stage(bound) symbols(T = 1..8) (%x: f32[T,32]) {
        %w = weight() {name = "w"} : q8_0[6,32]
        %a, %b = multi_linear(%x, %w, %w) : f32[T,6], f32[T,6] in "layer.0/q+k"
        return %a, %b
      })");
  Rule rule = test::RuleFor("r", {Target::kScalar});
  rule.scope = "*/k";
  NodeFacts facts = FactsOf(*graph.NodesOf(ops::kMultiLinear)[0]);
  EXPECT_TRUE(Match(rule, facts, graph.symbols()).matches);
  rule.scope = "*/v";
  EXPECT_FALSE(Match(rule, facts, graph.symbols()).matches);
  rule.scope = "layer.0/q+k";  // as reports call it
  EXPECT_TRUE(Match(rule, facts, graph.symbols()).matches);
  rule.scope.clear();
  rule.node = "layer.?/q+k";
  EXPECT_TRUE(Match(rule, facts, graph.symbols()).matches);
}

TEST(NodeFacts, APhaseIsATermAboutTokens) {
  Graph graph = LinearGraph();
  graph.set_symbols({{Range{1, 8}, Range{1, 2}, Range{1, 32}}});
  Rule rule = test::RuleFor("r", {Target::kScalar});
  NodeFacts facts = FactsOf(*graph.NodesOf(ops::kLinear)[0]);
  rule.phase = Phase::kDecode;
  EXPECT_EQ(Match(rule, facts, graph.symbols()).splits, (Term{"tokens", "<=", 1, 1, 8}));
  rule.phase = Phase::kPrefill;
  EXPECT_EQ(Match(rule, facts, graph.symbols()).splits, (Term{"tokens", ">=", 2, 1, 8}));
}

TEST(NodeFacts, TheTokensOfARuleAreAnInterval) {
  Graph graph = LinearGraph();
  NodeFacts facts = FactsOf(*graph.NodesOf(ops::kLinear)[0]);
  Rule rule = test::RuleFor("r", {Target::kScalar});
  auto tokens = [&] { return TokensWhere(ComparisonsOf(rule, facts), graph.symbols()); };
  EXPECT_EQ(tokens(), (Range{2, 8}));
  rule.rows = {3, 6};
  EXPECT_EQ(tokens(), (Range{3, 6}));
  rule.elements.max = 6 * 4;
  EXPECT_EQ(tokens(), (Range{3, 4}));
  rule.elements.max = 6 * 2;
  EXPECT_LT(tokens().max, tokens().min);
}

TEST(NodeFacts, RecordsATermForEachBound) {
  Rule rule = test::RuleFor("r", {Target::kScalar});
  rule.op = "linear";  // names are no terms
  rule.rows = {1, 100};
  rule.weight_bytes.min = 200;
  Graph graph = LinearGraph();
  RuleMatch match = Match(rule, FactsOf(*graph.NodesOf(ops::kLinear)[0]), graph.symbols());
  EXPECT_THAT(match.terms, ElementsAre(Term{"rows", ">=", 1, 2, 8}, Term{"rows", "<=", 100, 2, 8},
                                       Term{"weight_bytes", ">=", 200, 204, 204}));
}

// Only T cuts: R is as large as a call of T tokens allows, S is at its upper end.
TEST(NodeFacts, TermsShowLogitRowsAtTheirMostAndAFullCache) {
  Graph graph = GraphOf(R"(
      graph @g stage(bound) symbols(T = 2..8, R = 1..4, S = 1..32)
          (%r: f32[R,32], %s: f32[S,32]) {
        %a = silu(%r) : f32[R,32]
        %b = silu(%s) : f32[S,32]
        return %a, %b
      })");
  Rule rule = test::RuleFor("r", {Target::kScalar});
  rule.rows.min = 1;
  std::vector<Node*> nodes = graph.NodesOf(ops::kSilu);
  EXPECT_THAT(Match(rule, FactsOf(*nodes[0]), graph.symbols()).terms,
              ElementsAre(Term{"rows", ">=", 1, 2, 4}));
  EXPECT_THAT(Match(rule, FactsOf(*nodes[1]), graph.symbols()).terms,
              ElementsAre(Term{"rows", ">=", 1, 32, 32}));
  rule.rows.min = 2;
  EXPECT_TRUE(Match(rule, FactsOf(*nodes[0]), graph.symbols()).matches)
      << "a call of 2 tokens can want 2 rows";
}

TEST(NodeFacts, ARuleWhosePredicatesNeverHoldTogetherSplitsNothing) {
  Rule rule = test::RuleFor("r", {Target::kScalar});
  rule.rows.min = 6;
  rule.elements.max = 6 * 5;  // up to 5 rows
  Graph graph = LinearGraph();
  NodeFacts facts = FactsOf(*graph.NodesOf(ops::kLinear)[0]);
  EXPECT_FALSE(Match(rule, facts, graph.symbols()).matches);
  EXPECT_FALSE(Match(rule, facts, graph.symbols()).splits.has_value());
  rule.elements.max = 6 * 6;  // at 6 rows
  EXPECT_TRUE(Match(rule, facts, graph.symbols()).splits.has_value());
}

TEST(NodeFacts, FindsWhereAnAnswerChanges) {
  auto from = [](int64_t first) { return [first](int64_t tokens) { return tokens >= first; }; };
  for (int64_t first = 4; first <= 9; ++first) EXPECT_EQ(FirstChange({3, 9}, from(first)), first);
  EXPECT_EQ(FirstChange({3, 9}, from(10)), 10);
  EXPECT_EQ(FirstChange({3, 9}, from(3)), 10);
  EXPECT_EQ(FirstChange({3, 3}, from(3)), 4);
  EXPECT_EQ(FirstChange({3, 9}, [](int64_t tokens) { return tokens <= 5; }), 6);
}

TEST(NodeFacts, KnowsWhichTermSplits) {
  EXPECT_TRUE(Splits({"rows", ">=", 4, 2, 8}));
  EXPECT_TRUE(Splits({"rows", "<=", 4, 2, 8}));
  EXPECT_FALSE(Splits({"rows", ">=", 2, 2, 8}));
  EXPECT_FALSE(Splits({"rows", ">=", 9, 2, 8}));
  EXPECT_FALSE(Splits({"rows", "<=", 1, 2, 8}));
}

TEST(NodeFacts, AnEarlierRuleThatSplitsIsAnErrorEvenIfALaterOneMatches) {
  Policy policy;
  policy.name = "p";
  policy.rules = {test::RuleFor("large", {Target::kSimd}),
                  test::RuleFor("rest", {Target::kScalar})};
  policy.rules[0].rows.min = 4;
  Graph graph = LinearGraph();
  const Node& node = *graph.NodesOf(ops::kLinear)[0];
  absl::StatusOr<RuleChoice> choice = ChooseRule(policy, node, graph.symbols());
  ASSERT_FALSE(choice.ok());
  EXPECT_THAT(choice.status().ToString(),
              HasSubstr("rule large: node %y (linear) has rows from 2 to 8, and rows >= 4"));

  policy.rules[0].rows.min = 9;
  choice = ChooseRule(policy, node, graph.symbols());
  ASSERT_TRUE(choice.ok()) << choice.status();
  EXPECT_EQ(choice->rule->name, "rest");
}

}  // namespace
}  // namespace infer
