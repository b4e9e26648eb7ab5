// SPDX-License-Identifier: Apache-2.0
//
// Helpers for passes that replace several nodes by one.
#pragma once

#include <span>
#include <unordered_map>
#include <vector>

#include "ir/base/decision.h"
#include "ir/graph/graph.h"

namespace infer {

// Returns whether exactly one input of one node reads `value`. A result of the graph counts as read
// by the graph's caller too.
bool HasOneUse(const Graph& graph, Value value);

// Returns which of a node's two operands a node of `op` computes, preferably one that nothing else
// reads; -1: neither.
int FindOperand(const Graph& graph, const Node& node, const OpDef& op);

// Returns whether `op` accepts these inputs and attributes, according to its own rules.
Decision Fits(const OpDef& op, std::span<const Value> inputs, std::span<const Attr> attrs);

// Gives `fused` the scope of the first member. The scopes of the others, and whatever was merged
// into any of them before, become its merged scopes.
void AdoptScopes(Node* fused, std::span<Node* const> members);

// Makes all readers of `from` read `to`, which takes over its name and origin.
void ReplaceValue(Graph& graph, Value from, Value to);

// Answers which of two nodes comes first. Stays valid while nodes are erased, and while new nodes
// take the place of old ones.
class ProgramOrder {
 public:
  explicit ProgramOrder(const Graph& graph);

  bool IsBefore(const Node* a, const Node* b) const { return place_.at(a) < place_.at(b); }
  // Returns whether a node reads `value` before `place` does or would.
  bool IsReadBefore(const Graph& graph, Value value, const Node* place) const;
  // Records that `made` was inserted right before `there`.
  void PlaceAt(const Node* made, const Node* there) { place_[made] = place_.at(there); }

 private:
  std::unordered_map<const Node*, size_t> place_;
};

}  // namespace infer
