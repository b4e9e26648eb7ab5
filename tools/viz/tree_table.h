// SPDX-License-Identifier: Apache-2.0
//
// The lines of a tree in columns of one width; names of fused nodes and types that are too long for
// theirs go on below.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "ir/graph/placement.h"

namespace infer {

// A heading over all columns, which has a label alone, or a node.
struct TreeRow {
  std::string label;  // with the joints of the tree before it
  std::string op = {}, types = {}, estimate = {};
  std::vector<std::optional<Target>> targets =
      {};  // one for each head; none: the node is not there
};

struct TreeHeads {
  std::vector<std::string> targets;  // over their columns: "T 1..7"
  std::string estimate;              // with the regime that it is of: "estimate, T 1..7"
};

std::string TreeTableText(const std::vector<TreeRow>& rows, const TreeHeads& heads, bool color);

}  // namespace infer
