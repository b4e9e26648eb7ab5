// SPDX-License-Identifier: Apache-2.0
#include "passes/rewrite.h"

#include <algorithm>
#include <string>
#include <utility>

namespace infer {

bool HasOneUse(const Graph& graph, Value value) {
  std::span<const Use> uses = graph.uses(value);
  return uses.size() == 1 && uses[0].user != nullptr;
}

int FindOperand(const Graph& graph, const Node& node, const OpDef& op) {
  int found = -1;
  for (int i : {0, 1}) {
    if (!node.input(i).node->Is(op)) continue;
    if (found < 0 || !HasOneUse(graph, node.input(found))) found = i;
  }
  return found;
}

Decision Fits(const OpDef& op, std::span<const Value> inputs, std::span<const Attr> attrs) {
  std::vector<ValueType> types;
  for (Value input : inputs) types.push_back(input.type());
  absl::StatusOr<Types> results = CheckAndInfer({op, types, attrs, {}});
  if (results.ok()) return Decision::Accept();
  return Decision::Reject(std::string(results.status().message()));
}

void AdoptScopes(Node* fused, std::span<Node* const> members) {
  std::vector<std::string> merged;
  fused->set_scope(members[0]->scope());
  auto add = [&](const std::string& scope) {
    bool known = scope.empty() || scope == fused->scope() ||
                 std::find(merged.begin(), merged.end(), scope) != merged.end();
    if (!known) merged.push_back(scope);
  };
  for (const Node* member : members) {
    add(member->scope());
    for (const std::string& scope : member->merged_scopes()) add(scope);
  }
  fused->set_merged_scopes(std::move(merged));
}

void ReplaceValue(Graph& graph, Value from, Value to) {
  NodeResult& result = to.node->result(to.index);
  result.name = from.node->result(from.index).name;
  result.origin = from.node->result(from.index).origin;
  graph.ReplaceAllUses(from, to);
}

ProgramOrder::ProgramOrder(const Graph& graph) {
  for (const Node* node : graph.nodes()) place_.emplace(node, place_.size());
}

bool ProgramOrder::IsReadBefore(const Graph& graph, Value value, const Node* place) const {
  std::span<const Use> uses = graph.uses(value);
  return std::any_of(uses.begin(), uses.end(), [&](const Use& use) {
    return use.user != nullptr && IsBefore(use.user, place);
  });
}

}  // namespace infer
