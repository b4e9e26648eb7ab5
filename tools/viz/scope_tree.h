// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tools/report/layer_groups.h"

namespace infer {

// Nodes by the components of their scopes. A branch is a folder, a node, or equal nodes of one
// scope.
struct Branch {
  std::string label;  // for a folder
  std::vector<Branch> children;
  // For a node:
  std::string op;
  std::string types;
  std::vector<const NodeView*> by_regime;  // nullptr where it does not exist
  int64_t count = 0;                       // 0 for a folder
  double estimate_ns_min = 0;              // of all of them, in the requested regime
  double estimate_ns_max = 0;
};

// Builds the tree. Equal nodes of a scope (same op, types and targets) are counted.
Branch ScopeTree(const GroupedProgram& grouped, const std::vector<const NodeGroup*>& groups,
                 size_t estimated_regime);

}  // namespace infer
