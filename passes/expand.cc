// SPDX-License-Identifier: Apache-2.0
#include "passes/expand.h"

#include <utility>

#include "ir/base/status_macros.h"
#include "ir/base/strings.h"
#include "ir/graph/barriers.h"
#include "ir/graph/builder.h"
#include "ir/ops/ops.h"

namespace infer {
namespace {

std::vector<Attr> AttrsOf(const Node& node) { return {node.attrs().begin(), node.attrs().end()}; }

}  // namespace

absl::StatusOr<std::vector<Node*>> Expand(Graph& graph, Node* node) {
  GraphBuilder builder = GraphBuilder::Before(&graph, node);
  builder.In(node->scope(), /*named=*/false);
  std::vector<Value> results = node->op().decompose(builder, *node);
  RETURN_IF_ERROR(builder.status());
  if (results.size() != static_cast<size_t>(node->num_results())) {
    return absl::InternalError(StrCat(node->op().name, ": decomposition has ", results.size(),
                                      " results, expected ", node->num_results()));
  }
  for (int i = 0; i < node->num_results(); ++i) {
    NodeResult& made = results[i].node->result(results[i].index);
    made.name = node->result(i).name;
    made.origin = node->result(i).origin;
    graph.ReplaceAllUses(node->output(i), results[i]);
  }
  std::vector<Node*> parts = builder.emitted();
  for (Node* part : parts) part->set_merged_scopes(node->merged_scopes());
  graph.Erase(node);
  return parts;
}

NodeCopy CopyNode(const Node& node) {
  NodeCopy copy;
  std::vector<Value> inputs;
  for (Value input : node.inputs()) {
    const Node& from = *MemoryOf(input).node;
    // Rules and kernels may depend on which weight or state it is.
    const bool known = from.op().traits.state || input.node->op().traits.weight;
    Node* made = copy.graph.Insert(nullptr, known ? from.op() : ops::kInput, {},
                                   known ? AttrsOf(from) : std::vector<Attr>(), {input.type()});
    inputs.push_back(made->output());
  }
  copy.node = copy.graph.Insert(nullptr, node.op(), inputs, AttrsOf(node), node.ResultTypes());
  copy.node->set_scope(node.scope());
  copy.node->set_merged_scopes(node.merged_scopes());
  return copy;
}

}  // namespace infer
