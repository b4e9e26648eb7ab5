// SPDX-License-Identifier: Apache-2.0
//
// Reports what the author of a policy should know about it and one model: rules that have no
// effect, and nodes that do not run on their rule's first target. Shared by the compiler and `infer
// policy check`.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "ir/policy/policy.h"
#include "ir/program/program.h"

namespace infer {

struct PolicyFinding {
  enum class Kind : uint8_t {
    kMatchesNothing,  // matches no node of the model at any T
    kShadowed,        // matches nodes, but an earlier rule always decides
    kUnavailable,     // its first target is not on this machine
    kFallback,        // nodes run on a later target because the first has no kernel for them
  };
  Kind kind = Kind::kMatchesNothing;
  std::string rule;
  bool is_override = false;
  std::string text;  // the problem and the nearest names; one line, to follow the rule's name
};
std::string_view Name(PolicyFinding::Kind kind);  // "matches-nothing", ...

// Returns "rule big: matches no node; ..." or, for an override, the flag as given.
std::string Describe(const PolicyFinding& finding);

// `graph` is the graph that the regimes were cut from; `regimes` are the results, placed or
// further. Findings are in the order of the rules.
std::vector<PolicyFinding> CheckPolicy(const Graph& graph, const std::vector<Regime>& regimes,
                                       const Policy& policy);

}  // namespace infer
