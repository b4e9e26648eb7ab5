// SPDX-License-Identifier: Apache-2.0
//
// Replaces a composite node by the nodes of its decomposition.
#pragma once

#include <vector>

#include "absl/status/statusor.h"
#include "ir/graph/graph.h"

namespace infer {

// Replaces `node` by its decomposition and returns the parts, in order. They keep its scope; its
// results' names and origins move to the parts that compute them.
absl::StatusOr<std::vector<Node*>> Expand(Graph& graph, Node* node);

// A copy of one node in its own graph, for trials: its inputs are weights where they were weights,
// and otherwise graph inputs of the same types.
struct NodeCopy {
  Graph graph;
  Node* node = nullptr;
};
NodeCopy CopyNode(const Node& node);

}  // namespace infer
