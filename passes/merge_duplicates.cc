// SPDX-License-Identifier: Apache-2.0
//
// Merges nodes that compute the same value:
//
//   %a = silu(%x) in "gate"               %a = silu(%x) in "gate+up"
//   %b = silu(%x) in "up"          =>     %y = mul(%a, %a)
//   %y = mul(%a, %b)
//
// Nodes are equal if op, inputs and attributes are. The first stays, and since nodes are visited in
// program order, readers of equal nodes become equal too. The kept node lists the scope of the
// other. The dropped result's origin is lost, because its numbers are found under the kept one's;
// the kept result takes it over only if it has none itself.
//
// A node that writes a state is never merged: the second write happens after the first. Reads are
// safe to merge, because a cache value identifies the writes it has seen: a read after another
// write has another input.
#include <algorithm>
#include <string>
#include <unordered_map>

#include "ir/base/decision.h"
#include "ir/base/strings.h"
#include "ir/ops/ops.h"
#include "passes/passes.h"

namespace infer {
namespace {

Decision CanMerge(const Node& node) {
  if (node.Is(ops::kInput)) return Decision::Reject("an input of the graph");
  if (node.op().traits.state) return Decision::Reject("a state has one node");
  if (node.op().traits.aliases_input >= 0) return Decision::Reject("writes a state");
  return Decision::Accept();
}

// Returns a key that is equal for two nodes if and only if they compute the same. Attributes are
// compared as text, because -0.0 and 0.0 are equal as numbers but not as factors.
std::string KeyOf(const Node& node) {
  std::string key(node.op().name);
  for (Value input : node.inputs()) {
    StrAppend(&key, " ", reinterpret_cast<uintptr_t>(input.node), "/", input.index);
  }
  for (const Attr& attr : node.attrs()) StrAppend(&key, " ", ToString(attr));
  if (!node.op().traits.declares_types) return key;
  for (const ValueType& type : node.ResultTypes()) StrAppend(&key, " ", ToString(type));
  return key;
}

void KeepScopes(const Node& dropped, Node* kept) {
  std::vector<std::string> scopes = kept->merged_scopes();
  auto add = [&](const std::string& scope) {
    if (scope.empty() || scope == kept->scope()) return;
    if (std::find(scopes.begin(), scopes.end(), scope) == scopes.end()) scopes.push_back(scope);
  };
  add(dropped.scope());
  for (const std::string& scope : dropped.merged_scopes()) add(scope);
  kept->set_merged_scopes(std::move(scopes));
}

class MergeDuplicates final : public Pass {
 public:
  std::string_view name() const override { return "merge-duplicates"; }
  Stage needs() const override { return Stage::kBound; }

  absl::StatusOr<bool> Run(Graph& graph, PassContext&) const override {
    std::unordered_map<std::string, Node*> first;
    bool changed = false;
    for (Node* node : graph.nodes()) {
      if (!CanMerge(*node).accepted()) continue;
      auto [it, is_new] = first.try_emplace(KeyOf(*node), node);
      if (is_new) continue;
      Merge(graph, node, it->second);
      changed = true;
    }
    return changed;
  }

 private:
  static void Merge(Graph& graph, Node* dropped, Node* kept) {
    KeepScopes(*dropped, kept);
    for (int i = 0; i < dropped->num_results(); ++i) {
      NodeResult& result = kept->result(i);
      if (result.origin.empty()) result.origin = dropped->result(i).origin;
      if (result.name.empty()) result.name = dropped->result(i).name;
      graph.ReplaceAllUses(dropped->output(i), kept->output(i));
    }
    graph.Erase(dropped);
  }
};

}  // namespace

std::unique_ptr<Pass> MakeMergeDuplicates() { return std::make_unique<MergeDuplicates>(); }

}  // namespace infer
