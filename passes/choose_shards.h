// SPDX-License-Identifier: Apache-2.0
//
// The decisions of shard-graph: how each node of a graph is divided over ranks, or why it is not.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "ir/graph/graph.h"
#include "ir/graph/sharding.h"
#include "ir/policy/policy.h"

namespace infer {

struct ShardChoice {
  std::optional<ShardStrategy> strategy;  // unset: every rank computes all of the node
  std::string reason;
};

// Returns a choice for each node, in program order. Nodes are visited once: the first strategy is
// taken whose inputs are what the nodes before it give, or can be collected for it. Returns
// kInvalidArgument if a node of a layer cannot be divided by this number of ranks, with the numbers
// that are possible. A node outside the layers, such as the projection to the vocabulary, then
// stays whole.
absl::StatusOr<std::vector<ShardChoice>> ChooseShards(const Graph& graph, const ShardPolicy& shard);

}  // namespace infer
