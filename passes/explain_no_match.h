// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "ir/policy/policy.h"
#include "passes/node_facts.h"

namespace infer {

// For a rule that matches none of `nodes`, returns which of its predicates holds nowhere, with the
// nearest name, or else the node that fails the fewest predicates, and what it has instead.
std::string ExplainNoMatch(const Rule& rule, const std::vector<NodeFacts>& nodes,
                           const SymbolRanges& symbols);

}  // namespace infer
