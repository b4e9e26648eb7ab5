// SPDX-License-Identifier: Apache-2.0
//
// The verifier's checks of the plan. Only for ir/verifier.cc: callers use Verify().
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "absl/status/status.h"
#include "ir/graph.h"

namespace infer {

// A graph whose structure and types hold, with its nodes by position and back.
struct NumberedGraph {
  explicit NumberedGraph(const Graph& numbered);

  ValueRef RefOf(Value value) const { return {position.at(value.node), value.index}; }
  Value ValueOf(ValueRef ref) const { return nodes[ref.node]->output(ref.result); }
  bool Contains(ValueRef ref) const;

  const Graph& graph;
  std::vector<Node*> nodes;
  std::unordered_map<const Node*, int32_t> position;
};

// Segments and steps, from stage scheduled on.
absl::Status VerifySchedule(const NumberedGraph& numbered);
// Slots, workspaces and arenas, at stage planned. The schedule must hold already.
absl::Status VerifyMemory(const NumberedGraph& numbered);

}  // namespace infer
