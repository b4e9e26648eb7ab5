// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "ir/graph/graph.h"
#include "tools/bench/op_options.h"

namespace infer {

// Returns the ops that can be measured.
std::vector<std::string> BenchOps();
// Returns whether --type of this op is the type of a cache.
bool ReadsCache(std::string_view op);

// A graph of one node: weights are weight nodes, everything else is an input of the graph.
struct OpNode {
  Graph graph;
  Node* node = nullptr;
  std::string shape_text;  // "m=1 n=3072 k=1024 q8_0"
};
absl::StatusOr<OpNode> MakeOpNode(std::string_view op, const OpShape& shape);

}  // namespace infer
