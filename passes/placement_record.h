// SPDX-License-Identifier: Apache-2.0
//
// Fills the record of a placement the same way wherever one is decided.
#pragma once

#include "ir/kernel_catalog.h"
#include "ir/placement.h"
#include "passes/node_facts.h"

namespace infer {

// Target, rule, terms and the targets that the rule leaves out or ranks lower.
Placement MakePlacement(Target target, const RuleChoice& choice, PlacementSource source);

// `placement` with the kernel and the cost of `node`.
Placement CompletePlacement(Placement placement, const Node& node, const KernelFacts& kernel);

}  // namespace infer
