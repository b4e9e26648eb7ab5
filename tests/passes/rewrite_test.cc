// SPDX-License-Identifier: Apache-2.0
#include "passes/rewrite.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "ir/ops/ops.h"
#include "tests/support/graph_test.h"

namespace infer {
namespace {

using test::GraphOf;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

Graph TwoSilus() {
  return GraphOf(R"(
      graph @g stage(bound) symbols(T = 1..8) (%x: f32[T,4]) {
        %a = silu(%x) : f32[T,4] in "a+m+b"
        %b = silu(%a) : f32[T,4] in "b+a+n"
        %c = mul(%b, %a) : f32[T,4]
        return %c
      })");
}

TEST(HasOneUse, CountsInputsAndResultsOfTheGraph) {
  Graph graph = TwoSilus();
  std::vector<Node*> silus = graph.NodesOf(ops::kSilu);
  EXPECT_FALSE(HasOneUse(graph, silus[0]->output()));
  EXPECT_TRUE(HasOneUse(graph, silus[1]->output()));
  Node* mul = graph.NodesOf(ops::kMul)[0];
  EXPECT_FALSE(HasOneUse(graph, mul->output())) << "who runs the graph reads its result";
}

TEST(FindOperand, PrefersWhatNothingElseReads) {
  Graph graph = TwoSilus();
  Node* mul = graph.NodesOf(ops::kMul)[0];
  EXPECT_EQ(FindOperand(graph, *mul, ops::kSilu), 0);
  Value first = mul->input(0);
  graph.SetInput(mul, 0, mul->input(1));
  graph.SetInput(mul, 1, first);
  EXPECT_EQ(FindOperand(graph, *mul, ops::kSilu), 1);
  EXPECT_EQ(FindOperand(graph, *mul, ops::kLinear), -1);
}

TEST(AdoptScopes, ListsEachScopeOnce) {
  Graph graph = TwoSilus();
  std::vector<Node*> silus = graph.NodesOf(ops::kSilu);
  Node* mul = graph.NodesOf(ops::kMul)[0];
  AdoptScopes(mul, silus);
  EXPECT_EQ(mul->scope(), "a");
  EXPECT_THAT(mul->merged_scopes(), ElementsAre("m", "b", "n"));
}

TEST(AdoptScopes, LeavesOutNodesWithoutAScope) {
  Graph graph = TwoSilus();
  Node* mul = graph.NodesOf(ops::kMul)[0];
  AdoptScopes(mul, {{mul, mul}});
  EXPECT_THAT(mul->merged_scopes(), IsEmpty());
}

TEST(ReplaceValue, MovesReadersNameAndOrigin) {
  Graph graph = TwoSilus();
  std::vector<Node*> silus = graph.NodesOf(ops::kSilu);
  ReplaceValue(graph, silus[1]->output(), silus[0]->output());
  EXPECT_TRUE(graph.uses(silus[1]->output()).empty());
  EXPECT_EQ(graph.uses(silus[0]->output()).size(), 3u);
  EXPECT_EQ(silus[0]->result().name, "b");
  EXPECT_EQ(silus[0]->result().origin, "b");
}

TEST(ProgramOrder, KnowsWhatWasThereAndWhatTookItsPlace) {
  Graph graph = TwoSilus();
  std::vector<Node*> silus = graph.NodesOf(ops::kSilu);
  Node* mul = graph.NodesOf(ops::kMul)[0];
  ProgramOrder order(graph);
  EXPECT_TRUE(order.IsBefore(silus[0], silus[1]));
  EXPECT_FALSE(order.IsBefore(silus[1], silus[0]));
  EXPECT_FALSE(order.IsBefore(mul, mul));
  EXPECT_TRUE(order.IsReadBefore(graph, silus[0]->output(), mul));
  EXPECT_FALSE(order.IsReadBefore(graph, silus[1]->output(), mul));
  EXPECT_FALSE(order.IsReadBefore(graph, mul->output(), mul)) << "results are read at the end";
  Node* made =
      graph.Insert(silus[1], ops::kSilu, {silus[0]->output()}, {}, silus[0]->ResultTypes());
  order.PlaceAt(made, silus[1]);
  EXPECT_TRUE(order.IsBefore(silus[0], made));
  EXPECT_TRUE(order.IsBefore(made, mul));
}

}  // namespace
}  // namespace infer
