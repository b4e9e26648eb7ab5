// SPDX-License-Identifier: Apache-2.0
//
// Describes the record of a placement in words.
#pragma once

#include <map>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "ir/graph/placement.h"
#include "ir/program/program.h"
#include "tools/report/layer_groups.h"

namespace infer {

std::string TermText(const Term& term);  // "rows >= 8: 8..512"

// Says who decided: "rule split of policy auto", "override split", ...
std::string DecidedByText(const Program& program, const Placement& placement);

// Returns the rule's conditions with the values that met them: "op linear, rows >= 8: 8..512".
std::string BecauseText(const Program& program, const Placement& placement);

// An earlier rule that would have taken the node but for these predicates.
struct PassedOver {
  std::string rule;
  std::vector<Term> terms;  // predicates that failed, with the values they saw
};
std::vector<PassedOver> RulesPassedOver(const Program& program, const NodeView& view,
                                        const SymbolRanges& symbols);
std::string PassedOverText(const PassedOver& rule);  // "gpu wants rows >= 8: 1..3"

// Returns whether the record leaves open that the target could run the node: the policy was against
// it, not the machine.
bool CouldMove(const Rejected& rejected);

// Returns the override that decided. An override that is to move the node must come before it,
// because the first match decides. Empty if a new one may come anywhere; overrides by tensor name
// or layer come last anyway.
std::string_view MustComeBefore(const Placement& placement);

// Knows which layers have a scope and which ops the scope holds, as needed to write overrides.
class ScopeIndex {
 public:
  explicit ScopeIndex(std::span<const RegimeView> regimes);

  // Returns the override that moves these nodes: name=layer.*/attn/q_proj=simd. It names the op
  // only if the scope holds other ops too, and layers only if not all layers with the scope are
  // meant. A rule holds one interval of layers: if the layers are not an interval, it moves the
  // first, as an example.
  std::string PlaceRule(const NodeGroup& group, Target target) const;

 private:
  struct Facts {
    std::set<int64_t> layers;
    std::set<std::string_view> ops;
  };
  std::map<std::string_view, Facts> scopes_;  // without the layer
};

}  // namespace infer
