// SPDX-License-Identifier: Apache-2.0
//
// Fills the record of a placement the same way wherever one is decided.
#pragma once

#include <vector>

#include "ir/graph/placement.h"
#include "ir/program/kernel_catalog.h"
#include "passes/node_facts.h"

namespace infer {

// Target, rule, terms, and a reason against every other target: `refused` are those that the rule
// ranks higher and that cannot run the node; what the rule leaves out or ranks lower follows.
Placement MakePlacement(Target target, const RuleChoice& choice, PlacementSource source,
                        std::vector<Rejected> refused);

// Who wrote the rule.
inline PlacementSource SourceOf(const Rule& rule) {
  return rule.is_override ? PlacementSource::kOverride : PlacementSource::kPolicy;
}

// `placement` with the kernel and the cost of `node`.
Placement CompletePlacement(Placement placement, const Node& node, const KernelFacts& kernel);

}  // namespace infer
