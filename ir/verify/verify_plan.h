// SPDX-License-Identifier: Apache-2.0
//
// The verifier's checks of the plan. Only for ir/verify/verifier.cc: callers use Verify().
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/status/status.h"
#include "ir/graph/graph.h"
#include "ir/graph/plan.h"
#include "ir/graph/unmet_accesses.h"

namespace infer {

// A graph whose structure and types are valid, with its nodes by position and positions by node.
struct NumberedGraph {
  explicit NumberedGraph(const Graph& numbered);

  ValueRef RefOf(Value value) const { return {position.at(value.node), value.index}; }
  Value ValueOf(ValueRef ref) const { return nodes[ref.node]->output(ref.result); }
  bool Contains(ValueRef ref) const;
  // Returns the index of a value counted over all nodes, for tables; `ref` must be contained.
  size_t IndexOf(ValueRef ref) const { return first_value[ref.node] + ref.result; }
  size_t num_values() const { return first_value.back(); }

  const Graph& graph;
  std::vector<Node*> nodes;
  absl::flat_hash_map<const Node*, int32_t> position;
  std::vector<size_t> first_value;  // index of each node's first value; one more at the end
};

// Checks segments and steps, from stage scheduled on.
absl::Status VerifySchedule(const NumberedGraph& numbered);

// Returns the memory in which a value lies.
using MemoryNames = std::function<UnmetAccesses::Memory(Value)>;
MemoryNames MemoryByValue();  // according to the graph alone
// Checks that sliced steps can be shared by threads and that barriers separate them where
// necessary. The schedule must already be verified.
absl::Status VerifyThreads(const NumberedGraph& numbered, const MemoryNames& memory);
// Checks slots, workspaces and arenas, at stage planned. The schedule must already be verified.
absl::Status VerifyMemory(const NumberedGraph& numbered);

}  // namespace infer
