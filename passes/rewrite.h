// SPDX-License-Identifier: Apache-2.0
//
// What passes that replace several nodes by one share.
#pragma once

#include <span>
#include <unordered_map>
#include <vector>

#include "ir/base/decision.h"
#include "ir/graph/graph.h"

namespace infer {

// Whether nothing but one node's one input reads `value`. A result of the graph is read by the
// graph's caller too.
bool HasOneUse(const Graph& graph, Value value);

// Which operand of a node with two a node of `op` computes, preferably one that nothing else reads;
// -1: neither.
int FindOperand(const Graph& graph, const Node& node, const OpDef& op);

// Whether `op` takes these inputs and attributes; its own rules answer.
Decision Fits(const OpDef& op, std::span<const Value> inputs, std::span<const Attr> attrs);

// `fused` gets the scope of the first member; those of the others, and what was merged into any of
// them before, become its merged scopes.
void AdoptScopes(Node* fused, std::span<Node* const> members);

// Whoever reads `from` reads `to`, which takes over its name and origin.
void ReplaceValue(Graph& graph, Value from, Value to);

// Which of two nodes comes first. Holds while nodes are erased and while new ones stand where one
// of the old did.
class ProgramOrder {
 public:
  explicit ProgramOrder(const Graph& graph);

  bool IsBefore(const Node* a, const Node* b) const { return place_.at(a) < place_.at(b); }
  // Whether a node reads `value` before `place` does or would.
  bool IsReadBefore(const Graph& graph, Value value, const Node* place) const;
  // `made` was inserted right before `there`.
  void PlaceAt(const Node* made, const Node* there) { place_[made] = place_.at(there); }

 private:
  std::unordered_map<const Node*, size_t> place_;
};

}  // namespace infer
