// SPDX-License-Identifier: Apache-2.0
//
// The decision about one node: legalize and place-nodes carry it out, cut-regimes asks where it
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
  std::vector<std::string> part_kernels;  // of the parts, then
  std::vector<Rejected> refused;          // targets that the rule ranks higher
};

enum class InParts : uint8_t { kNever, kIfNotWhole };

// The first target of the node's rule that runs it for all of `symbols`: whole, or else, where that
// is allowed, all of its parts. kUnimplemented if none does, kUnavailable if none is on this
// machine; an error too if the rule's predicates split the range. Without fallback, also if it is
// not the first.
absl::StatusOr<TargetChoice> ChooseTarget(const Node& node, const SymbolRanges& symbols,
                                          const Policy& policy, const KernelCatalog& catalog,
                                          InParts in_parts, Fallback fallback = Fallback::kAllowed);
// The same where the rule is known.
absl::StatusOr<TargetChoice> ChooseTarget(RuleChoice by, const Node& node,
                                          const SymbolRanges& symbols, const KernelCatalog& catalog,
                                          InParts in_parts, Fallback fallback);

}  // namespace infer
