// SPDX-License-Identifier: Apache-2.0
//
// Prints the lines of a tree in aligned columns; names of fused nodes and types that are too long
// for their column continue below.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "ir/graph/placement.h"

namespace infer {

// A heading over all columns, which only has a label, or a node.
struct TreeRow {
  std::string label;  // with the tree's branch lines before it
  std::string op = {}, types = {}, estimate = {};
  std::vector<std::optional<Target>> targets =
      {};  // one for each head; empty if the node does not exist
};

struct TreeHeads {
  std::vector<std::string> targets;  // over their columns: "T 1..7"
  std::string estimate;              // with the regime that it is of: "estimate, T 1..7"
};

std::string TreeTableText(const std::vector<TreeRow>& rows, const TreeHeads& heads, bool color);

}  // namespace infer
