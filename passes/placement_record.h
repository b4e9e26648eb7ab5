// SPDX-License-Identifier: Apache-2.0
//
// Fills the record of a placement in the same way wherever one is decided.
#pragma once

#include <vector>

#include "ir/graph/placement.h"
#include "ir/program/kernel_catalog.h"
#include "passes/node_facts.h"

namespace infer {

// Sets target, rule, terms, and a reason against every other target: `refused` are targets that the
// rule ranks higher and that cannot run the node; those that the rule omits or ranks lower are
// added.
Placement MakePlacement(Target target, const RuleChoice& choice, PlacementSource source,
                        std::vector<Rejected> refused);

// Returns whether the rule came from the policy or from an override.
inline PlacementSource SourceOf(const Rule& rule) {
  return rule.is_override ? PlacementSource::kOverride : PlacementSource::kPolicy;
}

// Returns `placement` with the kernel and the cost of `node` filled in.
Placement CompletePlacement(Placement placement, const Node& node, const KernelFacts& kernel);

}  // namespace infer
