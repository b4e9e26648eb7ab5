// SPDX-License-Identifier: Apache-2.0
//
// The record of a placement in words.
#pragma once

#include <map>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "ir/program/program.h"
#include "tools/report/layer_groups.h"

namespace infer {

std::string TermText(const Term& term);  // "rows >= 8: 8..512"

// Who decided: "rule split of policy auto", "override split", ...
std::string DecidedByText(const Program& program, const Placement& placement);

// What the rule asked of the node, with the numbers that answered: "op linear, rows >= 8: 8..512".
std::string BecauseText(const Program& program, const Placement& placement);

// A rule before the one that decided, which would have taken the node but for these predicates.
struct PassedOver {
  std::string rule;
  std::vector<Term> terms;  // those that do not hold, with the numbers they saw
};
std::vector<PassedOver> RulesPassedOver(const Program& program, const NodeView& view,
                                        const SymbolRanges& symbols);
std::string PassedOverText(const PassedOver& rule);  // "gpu wants rows >= 8: 1..3"

// Whether the record leaves it open that the target could run the node: the policy was against it,
// not the machine.
bool CouldMove(const Rejected& rejected);

// The override that decided, which one that is to move the node must come before: the first that
// matches decides. Empty where another one may stand anywhere; those by tensor names or by layers
// come after all.
std::string_view MustComeBefore(const Placement& placement);

// What overrides need to know: which layers have a scope and which ops it holds.
class ScopeIndex {
 public:
  explicit ScopeIndex(std::span<const RegimeView> regimes);

  // The override that moves these nodes: name=layer.*/attn/q_proj=simd. It names the op only where
  // the scope holds others too, and layers only where not all that have the scope are meant. A rule
  // holds one interval of layers: of layers that are none it moves the first, as an example.
  std::string PlaceRule(const NodeGroup& group, Target target) const;

 private:
  struct Facts {
    std::set<int64_t> layers;
    std::set<std::string_view> ops;
  };
  std::map<std::string_view, Facts> scopes_;  // without the layer
};

}  // namespace infer
