// SPDX-License-Identifier: Apache-2.0
//
// What the author of a policy should know about it and one model: rules that do nothing, and nodes
// that are not where a rule wants them first. The compiler and `infer policy check` share this.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "ir/policy/policy.h"
#include "ir/program/program.h"

namespace infer {

struct PolicyFinding {
  enum class Kind : uint8_t {
    kMatchesNothing,  // no node of the model, at no T
    kShadowed,        // matches nodes, but an earlier rule always decides
    kUnavailable,     // its first target is not on this machine
    kFallback,        // nodes run on a later target because the first has no kernel for them
  };
  Kind kind = Kind::kMatchesNothing;
  std::string rule;
  bool is_override = false;
  std::string text;  // what is the matter and what is near; one line, to stand behind the rule
};
std::string_view Name(PolicyFinding::Kind kind);  // "matches-nothing", ...

// "rule big: matches no node; ..." or, for an override, the flag as given.
std::string Describe(const PolicyFinding& finding);

// `graph` is what the regimes were cut from, `regimes` what became of it, placed or further. In the
// order of the rules.
std::vector<PolicyFinding> CheckPolicy(const Graph& graph, const std::vector<Regime>& regimes,
                                       const Policy& policy);

}  // namespace infer
