// SPDX-License-Identifier: Apache-2.0
#include "tests/ir/same_graph.h"

#include <map>
#include <utility>
#include <vector>

#include "ir/graph/placement.h"
#include "ir/graph/plan.h"

namespace infer {
namespace {

using Positions = std::map<const Node*, int>;

Positions PositionsOf(const Graph& graph) {
  Positions positions;
  for (const Node* node : graph.nodes()) positions.emplace(node, positions.size());
  return positions;
}

std::vector<std::pair<int, int>> Flat(std::span<const Value> values, const Positions& positions) {
  std::vector<std::pair<int, int>> flat;
  for (Value value : values) flat.emplace_back(positions.at(value.node), value.index);
  return flat;
}

void ExpectSameNode(const Node& a, const Node& b) {
  EXPECT_EQ(&a.op(), &b.op());
  EXPECT_EQ(std::vector(a.attrs().begin(), a.attrs().end()),
            std::vector(b.attrs().begin(), b.attrs().end()));
  EXPECT_EQ(a.ResultTypes(), b.ResultTypes());
  EXPECT_EQ(a.scope(), b.scope());
  EXPECT_EQ(a.merged_scopes(), b.merged_scopes());
  EXPECT_TRUE(SameValue(a.placement(), b.placement()));
  ASSERT_EQ(a.num_results(), b.num_results());
  for (int i = 0; i < a.num_results(); ++i) {
    EXPECT_EQ(a.result(i).name, b.result(i).name);
    EXPECT_EQ(a.result(i).origin, b.result(i).origin);
  }
}

}  // namespace

void ExpectSameGraph(const Graph& a, const Graph& b) {
  EXPECT_EQ(a.name(), b.name());
  EXPECT_EQ(a.stage(), b.stage());
  EXPECT_EQ(a.symbols(), b.symbols());
  EXPECT_TRUE(SameValue(a.plan(), b.plan()));
  std::vector<Node*> nodes_a = a.nodes();
  std::vector<Node*> nodes_b = b.nodes();
  ASSERT_EQ(nodes_a.size(), nodes_b.size());
  Positions positions_a = PositionsOf(a);
  Positions positions_b = PositionsOf(b);
  for (size_t i = 0; i < nodes_a.size(); ++i) {
    SCOPED_TRACE(i);
    ExpectSameNode(*nodes_a[i], *nodes_b[i]);
    EXPECT_EQ(Flat(nodes_a[i]->inputs(), positions_a), Flat(nodes_b[i]->inputs(), positions_b));
  }
  EXPECT_EQ(Flat(a.results(), positions_a), Flat(b.results(), positions_b));
}

}  // namespace infer
