// SPDX-License-Identifier: Apache-2.0
//
// Joins the projections of one activation, so that it is read (and quantised) once and all of them
// are one step:
//
//   %q = linear(%n, %wq)
//   %k = linear(%n, %wk)         =>   %q, %k, %v = multi_linear(%n, %wq, %wk, %wv)
//   %v = linear(%n, %wv)
//
// The weights may differ in type and rows. The fused node takes the place of the first member: all
// read %n, so none can need another's result. A weight that is declared later moves before it.
#include <map>
#include <utility>
#include <vector>

#include "ir/base/status_macros.h"
#include "ir/graph/builder.h"
#include "ir/ops/ops.h"
#include "passes/passes.h"
#include "passes/rewrite.h"

namespace infer {
namespace {

using Group = std::vector<Node*>;

Decision CanJoin(const Node& linear) {
  if (!linear.input(1).node->op().traits.weight) return Decision::Reject("its weight is computed");
  return Decision::Accept();
}

// The linear nodes that read the same value, in program order.
std::vector<Group> FindGroups(const Graph& graph, const PassContext& context) {
  std::vector<Group> groups;
  std::map<std::pair<const Node*, int>, size_t> group_of;
  for (Node* linear : graph.NodesOf(ops::kLinear)) {
    Value x = linear->input(0);
    if (graph.uses(x).size() < 2) continue;
    if (Decision join = CanJoin(*linear); !join.accepted()) {
      context.Explain(*linear, join.reason());
      continue;
    }
    auto [at, is_new] = group_of.try_emplace({x.node, x.index}, groups.size());
    if (is_new) groups.emplace_back();
    groups[at->second].push_back(linear);
  }
  return groups;
}

absl::Status FuseGroup(Graph& graph, const Group& members, ProgramOrder* order) {
  Node* first = members[0];
  std::vector<Value> weights;
  for (Node* member : members) {
    Node* weight = member->input(1).node;
    if (order->IsBefore(first, weight)) {
      graph.MoveBefore(weight, first);
      order->PlaceAt(weight, first);
    }
    weights.push_back(member->input(1));
  }
  GraphBuilder builder = GraphBuilder::Before(&graph, first);
  std::vector<Value> results = ops::MultiLinear(builder, first->input(0), weights);
  RETURN_IF_ERROR(builder.status());
  AdoptScopes(results[0].node, members);
  for (size_t i = 0; i < members.size(); ++i) {
    ReplaceValue(graph, members[i]->output(), results[i]);
    graph.Erase(members[i]);
  }
  return absl::OkStatus();
}

class FuseProjections final : public Pass {
 public:
  std::string_view name() const override { return "fuse-projections"; }
  Stage needs() const override { return Stage::kBound; }

  absl::StatusOr<bool> Run(Graph& graph, PassContext& context) const override {
    bool changed = false;
    ProgramOrder order(graph);
    for (const Group& members : FindGroups(graph, context)) {
      if (members.size() < 2) continue;
      RETURN_IF_ERROR(FuseGroup(graph, members, &order));
      changed = true;
    }
    return changed;
  }
};

}  // namespace

std::unique_ptr<Pass> MakeFuseProjections() { return std::make_unique<FuseProjections>(); }

}  // namespace infer
