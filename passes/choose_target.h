// SPDX-License-Identifier: Apache-2.0
//
// The decision about one node. legalize and place-nodes carry it out; cut-regimes finds where it
// changes.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "ir/program/kernel_catalog.h"
#include "passes/node_facts.h"

namespace infer {

struct TargetChoice {
  RuleChoice by;
  Target target = Target::kScalar;
  std::optional<KernelFacts> kernel;      // unset: the target runs the node in parts
  std::vector<std::string> part_kernels;  // kernels of those parts
  std::vector<Rejected> refused;          // higher-ranked targets of the rule
};

enum class InParts : uint8_t { kNever, kIfNotWhole };

// Returns the first target of the node's rule that runs it for all of `symbols`: whole, or else, if
// allowed, all of its parts. Returns kUnimplemented if no target does, kUnavailable if none is on
// this machine, and an error if the rule's predicates split the range. Without fallback, a target
// other than the first is an error too.
absl::StatusOr<TargetChoice> ChooseTarget(const Node& node, const SymbolRanges& symbols,
                                          const Policy& policy, const KernelCatalog& catalog,
                                          InParts in_parts, Fallback fallback = Fallback::kAllowed);
// The same for a known rule.
absl::StatusOr<TargetChoice> ChooseTarget(RuleChoice by, const Node& node,
                                          const SymbolRanges& symbols, const KernelCatalog& catalog,
                                          InParts in_parts, Fallback fallback);

}  // namespace infer
