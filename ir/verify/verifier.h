// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "absl/status/status.h"
#include "ir/graph/graph.h"
#include "ir/program/program.h"

namespace infer {

// Checks what must hold at the graph's stage: structure, inferred types, ranges, placements, the
// schedule and the memory plan. An error names the node. Passes and stored Programs go through the
// same checks.
absl::Status Verify(const Graph& graph);

// Checks every regime's graph, and its relations to the rest of the Program.
absl::Status Verify(const Program& program);

// Returns a node's name for error messages: "%q (linear)".
std::string DescribeNode(const Node& node);

}  // namespace infer
