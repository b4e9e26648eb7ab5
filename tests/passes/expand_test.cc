// SPDX-License-Identifier: Apache-2.0
#include "passes/expand.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "ir/ops/ops.h"
#include "ir/verify/verifier.h"
#include "tests/support/graph_test.h"

namespace infer {
namespace {

using test::GraphOf;
using ::testing::ElementsAre;

constexpr std::string_view kNorm = R"(
    graph @g stage(bound) symbols(T = 1..8) (%x: f32[T,4]) {
      %w = weight() {name = "w"} : f32[4]
      %y = rms_norm(%x, %w) {eps = 1e-06} : f32[T,4] in "layer.0/norm+other"
      return %y
    })";

TEST(Expand, ReplacesANodeByItsParts) {
  Graph graph = GraphOf(kNorm);
  absl::StatusOr<std::vector<Node*>> parts = Expand(graph, graph.NodesOf(ops::kRmsNorm)[0]);
  ASSERT_TRUE(parts.ok()) << parts.status();
  EXPECT_GT(parts->size(), 1u);
  EXPECT_TRUE(graph.NodesOf(ops::kRmsNorm).empty());
  EXPECT_EQ(Verify(graph), absl::OkStatus());
  EXPECT_EQ(graph.results()[0].node, parts->back());
}

TEST(Expand, KeepsScopesNamesAndOrigins) {
  Graph graph = GraphOf(kNorm);
  absl::StatusOr<std::vector<Node*>> parts = Expand(graph, graph.NodesOf(ops::kRmsNorm)[0]);
  ASSERT_TRUE(parts.ok()) << parts.status();
  for (const Node* part : *parts) {
    EXPECT_EQ(part->scope(), "layer.0/norm");
    EXPECT_THAT(part->merged_scopes(), ElementsAre("layer.0/other"));
  }
  EXPECT_EQ(graph.results()[0].node->result().name, "y");
  EXPECT_EQ(graph.results()[0].node->result().origin, "layer.0/norm");
  EXPECT_EQ(parts->front()->result().origin, "");
}

TEST(CopyNode, HasTheSameTypesAndTheSameWeights) {
  Graph graph = GraphOf(kNorm);
  const Node& norm = *graph.NodesOf(ops::kRmsNorm)[0];
  NodeCopy copy = CopyNode(norm);
  EXPECT_TRUE(copy.node->Is(ops::kRmsNorm));
  EXPECT_EQ(copy.node->scope(), norm.scope());
  EXPECT_EQ(copy.node->InputTypes(), norm.InputTypes());
  EXPECT_EQ(copy.node->ResultTypes(), norm.ResultTypes());
  EXPECT_TRUE(copy.node->input(0).node->Is(ops::kInput));
  EXPECT_TRUE(copy.node->input(1).node->op().traits.weight);
  EXPECT_EQ(copy.graph.num_nodes(), 3u);
}

}  // namespace
}  // namespace infer
