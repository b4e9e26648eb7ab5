// SPDX-License-Identifier: Apache-2.0
#include "passes/explain_no_match.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/graph_test.h"

namespace infer {
namespace {

using test::RuleFor;
using ::testing::HasSubstr;

struct NearestNodeTest : ::testing::Test {
  NearestNodeTest() {
    for (const Node* node : graph.nodes()) {
      if (IsExecuted(*node)) nodes.push_back(FactsOf(*node));
    }
  }
  std::string Explain() { return ExplainNoMatch(rule, nodes, graph.symbols()); }

  Graph graph = test::GraphOf(R"(
      graph @g stage(bound) symbols(T = 1..8) (%x: f32[T,32]) {
        %w = weight() {name = "blk.3.attn_q.weight"} : q8_0[6,32]
        %g = weight() {name = "blk.3.attn_norm.weight"} : f32[32]
        %n = rms_norm(%x, %g) {eps = 1e-06} : f32[T,32] in "layer.3/attn/norm"
        %y = linear(%n, %w) : f32[T,6] in "layer.3/attn/q_proj"
        %z = silu(%y) : f32[T,6] in "output/silu"
        return %z
      })");
  std::vector<NodeFacts> nodes;
  Rule rule = RuleFor("r", {Target::kScalar});
};

TEST_F(NearestNodeTest, NamesTheOpsThatAreThere) {
  rule.op = "rms_norm*";
  rule.op = "add_rms_norm";
  EXPECT_EQ(
      Explain(),
      "matches no node: none has op add_rms_norm (did you mean rms_norm?); the model has linear, "
      "rms_norm, silu");
}

TEST_F(NearestNodeTest, NamesTheNearestScopeWithAndWithoutItsLayer) {
  rule.scope = "layer.3/attn/q_prj";
  EXPECT_THAT(Explain(), HasSubstr("(did you mean layer.3/attn/q_proj?)"));
  rule.scope = "layer.*/atn/q_proj";
  EXPECT_THAT(Explain(), HasSubstr("(did you mean layer.*/attn/q_proj?)"));
}

TEST_F(NearestNodeTest, NamesTheNearestWeight) {
  rule.node = "blk.3.atn_q.weight";
  EXPECT_EQ(
      Explain(),
      "matches no node: none has name blk.3.atn_q.weight (did you mean blk.3.attn_q.weight?)");
  rule.node = "blk.7.attn_q*";
  EXPECT_THAT(Explain(), HasSubstr("(did you mean blk.3.attn_q.weight?)"));
}

TEST_F(NearestNodeTest, NamesWhatIsNearestToARegularExpression) {
  rule.node_regex = *NameRegex::Compile(R"(blk\.99\..*)");
  EXPECT_EQ(Explain(),
            "matches no node: none has name ~ blk\\.99\\..* (did you mean "
            "blk.3.attn_norm.weight?); examples of names: blk.3.attn_norm.weight, "
            "layer.3/attn/norm");
  rule.node_regex = *NameRegex::Compile("attn/q_prj$");
  EXPECT_THAT(Explain(), HasSubstr("(did you mean layer.3/attn/q_proj?)"));
  rule.node_regex = *NameRegex::Compile("exps");
  EXPECT_EQ(Explain(),
            "matches no node: none has name ~ exps; examples of names: "
            "blk.3.attn_norm.weight, layer.3/attn/norm");
}

TEST_F(NearestNodeTest, ShowsTheNumbersThatAreThere) {
  rule.rows.min = 9;
  EXPECT_EQ(Explain(), "matches no node: none has rows >= 9; in this model it is 1 to 8");
  rule.rows = {};
  rule.layer.min = 4;
  EXPECT_EQ(Explain(), "matches no node: none has layer >= 4; in this model it is 3");
}

TEST_F(NearestNodeTest, NamesTheTypesThatAreThere) {
  rule.weight_type = "q8_k";
  EXPECT_EQ(
      Explain(),
      "matches no node: none has weight type q8_k (did you mean q8_0?); the model has f32, q8_0");
}

TEST_F(NearestNodeTest, NamesTheNodeThatMissesFewestPredicates) {
  rule.op = "linear";
  rule.scope = "layer.3/*";
  rule.weight_type = "f32";
  EXPECT_EQ(
      Explain(),
      "matches no node; nearest is layer.3/attn/norm (rms_norm), whose op is rms_norm, not op "
      "linear");
  rule.columns.max = 6;
  EXPECT_EQ(Explain(),
            "matches no node; nearest is layer.3/attn/q_proj (linear), whose weight type is q8_0, "
            "not weight type f32");
}

TEST_F(NearestNodeTest, SaysThatBoundsNeverHoldTogether) {
  rule.op = "linear";
  rule.rows.min = 6;
  rule.elements.max = 6 * 5;
  EXPECT_EQ(Explain(),
            "matches no node; nearest is layer.3/attn/q_proj (linear), for which its bounds never "
            "hold at the same T");
}

}  // namespace
}  // namespace infer
