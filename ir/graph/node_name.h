// SPDX-License-Identifier: Apache-2.0
//
// The names of nodes in everything people read: texts, reports, traces and the page. A fused node
// is named after all its members:
//
//   layer.3/attn/q_proj+k_proj+v_proj
//   layer.3/attn/residual+ffn/norm             layer.3/attn/residual and layer.3/ffn/norm
//   layer.3/ffn/residual+layer.4/attn/norm
//   layer.27/ffn/residual+/output/norm         layer.27/ffn/residual and output/norm
//
// The first member is written in full. A later one replaces as many trailing components of the
// first as it has itself; a leading slash marks it as complete. No scope may contain a '+'.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "ir/graph/graph.h"

namespace infer {

inline constexpr char kScopeSeparator = '+';

std::string JoinScopes(std::string_view scope, std::span<const std::string> merged_scopes);

struct ScopeList {
  std::string scope;
  std::vector<std::string> merged_scopes;
};
// The inverse of JoinScopes.
ScopeList SplitScopes(std::string_view name);

// Returns the joined scopes of the node.
std::string NodeName(const Node& node);
// Returns NodeName without the folders of the node's own scope: "q_proj+k_proj+v_proj".
std::string NodeNameInFolder(const Node& node);

}  // namespace infer
