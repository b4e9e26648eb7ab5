// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tools/api/report/layer_groups.h"

namespace infer {

// Nodes by the parts of their scopes. A branch is a folder, or a node, or equal nodes of one scope.
struct Branch {
  std::string label;  // of a folder
  std::vector<Branch> children;
  // Of a node:
  std::string op;
  std::string types;
  std::vector<const NodeView*> by_regime;  // nullptr where it is not
  int64_t count = 0;                       // 0: a folder
  double estimate_ns_min = 0;              // of all, in the regime that was asked for
  double estimate_ns_max = 0;
};

// Equal nodes of a scope are counted: same op, types and targets.
Branch ScopeTree(const FoldedProgram& folded, const std::vector<const FoldGroup*>& groups,
                 size_t estimated_regime);

}  // namespace infer
