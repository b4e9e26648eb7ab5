// SPDX-License-Identifier: Apache-2.0
#include "ir/graph/graph.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <set>
#include <string>
#include <vector>

#include "ir/graph/builder.h"
#include "ir/graph/placement.h"
#include "ir/graph/plan.h"
#include "ir/ops/ops.h"
#include "ir/text/fingerprint.h"
#include "ir/text/parser.h"
#include "ir/text/printer.h"
#include "tests/ir/same_graph.h"
#include "tests/ir/sample_graphs.h"

namespace infer {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::UnorderedElementsAre;

struct Chain {
  Graph graph;
  Value x;
  Value y;
  Value z;
};

// y = x + x, z = y * y, result z.
Chain MakeChain() {
  Chain chain;
  chain.x = chain.graph.AddInput("x", ValueType::F32({2, 3}))->output();
  GraphBuilder b(&chain.graph);
  chain.y = ops::Add(b, chain.x, chain.x);
  chain.z = ops::Mul(b, chain.y, chain.y);
  chain.graph.AddResult(chain.z);
  return chain;
}

TEST(Graph, KnowsWhoUsesAValue) {
  Chain c = MakeChain();
  EXPECT_THAT(c.graph.uses(c.x), UnorderedElementsAre(Use{c.y.node, 0}, Use{c.y.node, 1}));
  EXPECT_THAT(c.graph.uses(c.z), ElementsAre(Use{nullptr, 0}));
  c.graph.SetInput(c.z.node, 1, c.x);
  EXPECT_THAT(c.graph.uses(c.y), ElementsAre(Use{c.z.node, 0}));
  EXPECT_EQ(c.graph.uses(c.x).size(), 3u);
  EXPECT_EQ(c.z.node->input(1), c.x);
}

TEST(Graph, ReplaceAllUsesReachesNodesAndResults) {
  Chain c = MakeChain();
  c.graph.ReplaceAllUses(c.z, c.y);
  c.graph.ReplaceAllUses(c.y, c.x);
  EXPECT_THAT(c.graph.results(), ElementsAre(c.x));
  EXPECT_THAT(c.graph.uses(c.y), IsEmpty());
  EXPECT_THAT(c.z.node->inputs(), ElementsAre(c.x, c.x));
  EXPECT_EQ(c.graph.uses(c.x).size(), 5u);
}

TEST(Graph, ErasingANodeReleasesItsInputs) {
  Chain c = MakeChain();
  c.graph.ReplaceAllUses(c.z, c.y);
  c.graph.Erase(c.z.node);
  EXPECT_EQ(c.graph.num_nodes(), 2u);
  EXPECT_THAT(c.graph.uses(c.y), ElementsAre(Use{nullptr, 0}));
}

TEST(Graph, InsertsBeforeANode) {
  Chain c = MakeChain();
  GraphBuilder b = GraphBuilder::Before(&c.graph, c.z.node);
  Value silu = ops::Silu(b, c.y);
  EXPECT_THAT(c.graph.nodes(), ElementsAre(c.x.node, c.y.node, silu.node, c.z.node));
}

TEST(Graph, InputsComeFirstWheneverTheyAreAdded) {
  Chain c = MakeChain();
  Node* late = c.graph.AddInput("late", ValueType::Batch());
  EXPECT_THAT(c.graph.inputs(), ElementsAre(c.x.node, late));
  EXPECT_THAT(c.graph.nodes(), ElementsAre(c.x.node, late, c.y.node, c.z.node));
}

TEST(Graph, CloneIsEqualAndIndependent) {
  Graph graph = SampleTextGraph(Stage::kPlanned);
  std::string text = PrintGraph(graph);
  Graph copy = graph.Clone();
  ExpectSameGraph(graph, copy);
  std::vector<Node*> nodes = graph.nodes();
  for (Node* node : copy.nodes()) {
    EXPECT_THAT(nodes, ::testing::Not(::testing::Contains(node)));
    for (int i = 0; i < node->num_results(); ++i) {
      for (Use use : copy.uses(node->output(i))) {
        Value used = use.user == nullptr ? copy.results()[use.input] : use.user->input(use.input);
        EXPECT_EQ(used, node->output(i));
      }
    }
  }
  copy.ReplaceAllUses(copy.results()[0], copy.inputs()[0]->output());
  copy.set_plan(std::nullopt);
  EXPECT_EQ(PrintGraph(graph), text);
}

TEST(Graph, StaysUsableAfterAMove) {
  Chain c = MakeChain();
  Graph moved = std::move(c.graph);
  GraphBuilder b = GraphBuilder::Before(&moved, c.y.node);
  Value silu = ops::Silu(b, c.x);
  EXPECT_THAT(moved.nodes(), ElementsAre(c.x.node, silu.node, c.y.node, c.z.node));
}

TEST(Graph, FingerprintSeesEveryField) {
  using Change = std::function<void(Graph&)>;
  auto placement = [](std::function<void(Placement&)> change) -> Change {
    return [change](Graph& graph) {
      Node* node = graph.NodesOf(ops::kRmsNorm)[0];
      Placement changed = *node->placement();
      change(changed);
      node->set_placement(changed);
    };
  };
  auto plan = [](std::function<void(Plan&)> change) -> Change {
    return [change](Graph& graph) {
      Plan changed = *graph.plan();
      change(changed);
      graph.set_plan(changed);
    };
  };
  const Change changes[] = {
      [](Graph&) {},
      [](Graph& g) { g.set_name("other"); },
      [](Graph& g) { g.set_stage(Stage::kBound); },
      [](Graph& g) { g.set_symbols({}); },
      [](Graph& g) { g.nodes()[4]->set_scope("other"); },
      [](Graph& g) { g.nodes()[4]->set_merged_scopes({"other"}); },
      [](Graph& g) { g.nodes()[4]->result().name = "other"; },
      [](Graph& g) { g.nodes()[4]->result().origin = "other"; },
      [](Graph& g) { g.nodes()[4]->result().type.tensor.dtype = DType::kF32; },
      [](Graph& g) { g.AddResult(g.results()[0]); },
      placement([](Placement& p) { p.terms[0].lo = 7; }),
      placement([](Placement& p) { p.terms[0].hi = 7; }),
      placement([](Placement& p) { p.rejected[0].code = Rejected::Code::kNoKernel; }),
      placement([](Placement& p) { p.cost.flops.ct = 7; }),
      placement([](Placement& p) { p.estimate_ns_min = 7; }),
      plan([](Plan& p) { p.segments[1].steps.back().copy->to = Device::kCpu; }),
      plan([](Plan& p) { p.slots[1].value.node = 0; }),
      plan([](Plan& p) { p.slots[0].space = Device::kMetal; }),
      plan([](Plan& p) { p.segments[0].waits = {Device::kMetal}; }),
      plan([](Plan& p) { p.slots[0].last_step = 9; }),
      plan([](Plan& p) { p.slots[0].alias_of = ValueRef{1, 0}; }),
      plan([](Plan& p) { p.arenas[0].lower_bound = 9; }),
      plan([](Plan& p) { p.arenas[0].bytes_per_thread = 9; }),
  };
  std::set<uint64_t> seen;
  for (const Change& change : changes) {
    Graph graph = SampleTextGraph(Stage::kPlanned);
    change(graph);
    EXPECT_TRUE(seen.insert(Fingerprint(graph)).second) << &change - changes;
    EXPECT_EQ(Fingerprint(graph), Fingerprint(graph.Clone()));
  }
}

TEST(Graph, NodeIdsDoNotDependOnOtherNodes) {
  Graph graph = SampleTextGraph(Stage::kImported);
  std::vector<uint64_t> before = NodeIds(graph);
  EXPECT_EQ(std::set(before.begin(), before.end()).size(), graph.num_nodes());
  Node* select = graph.NodesOf(ops::kSelectRows)[0];
  GraphBuilder b = GraphBuilder::Before(&graph, select);
  ops::Silu(b.In("new"), select->input(0));
  std::vector<uint64_t> after = NodeIds(graph);
  for (uint64_t id : before) EXPECT_THAT(after, ::testing::Contains(id));
}

TEST(Graph, NodeIdsStayTheSameForever) {
  absl::StatusOr<Graph> graph = ParseGraph(
      "graph @g stage(imported) (%x: f32[2,3]) { %y = silu(%x) : f32[2,3] in \"a/b\" "
      "%z = silu(%x) : f32[2,3] in \"a/b\" return %y }");
  ASSERT_TRUE(graph.ok()) << graph.status();
  // Stored in profiles and traces; another value here breaks joining old ones with new ones.
  EXPECT_THAT(NodeIds(*graph),
              ElementsAre(0x0cddce832b657e8c, 0x6622da0c7ffe73a3, 0x3cac94e38c5fa37a));
}

TEST(Graph, MoveBeforeChangesTheOrderAlone) {
  Graph graph;
  GraphBuilder b(&graph);
  Value x = graph.AddInput("x", ValueType::F32({4, 8}))->output();
  Value y = ops::Silu(b, x);
  Value w = ops::WeightRef(b, "w", ValueType::F32({2, 8}));
  Value z = ops::Linear(b, y, w);
  graph.MoveBefore(w.node, y.node);
  EXPECT_EQ(graph.nodes(), (std::vector<Node*>{x.node, w.node, y.node, z.node}));
  EXPECT_EQ(graph.uses(w).size(), 1u);
  graph.Erase(z.node);  // the places of others are still known
  graph.Erase(w.node);
  EXPECT_EQ(graph.nodes(), (std::vector<Node*>{x.node, y.node}));
}

TEST(RowsType, IsThatOfTheFirstResultWithRows) {
  Graph graph;
  GraphBuilder b(&graph);
  Value batch = graph.AddInput("batch", ValueType::Batch())->output();
  Value scalar = graph.AddInput("s", ValueType::F32({}))->output();
  Value kv = ops::KvState(b, 0, ValueType::Kv(DType::kF16, 2, 4));
  auto [keys, values] = ops::KvRead(b, kv, batch);
  EXPECT_EQ(RowsType(*kv.node), nullptr);
  EXPECT_EQ(RowsType(*scalar.node), nullptr);
  EXPECT_EQ(RowsType(*keys.node), &keys.type());
}

}  // namespace
}  // namespace infer
