// SPDX-License-Identifier: Apache-2.0
//
// Produces what `infer policy` prints.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "ir/program/program.h"
#include "passes/check_policy.h"

namespace infer {

// Lists the named policies.
absl::StatusOr<std::string> PolicyListText();
absl::StatusOr<std::string> PolicyListJson();

// Returns the fields of a policy, and of its rules those that are set.
std::string PolicyJson(const Policy& policy);

// The effect of a policy on a model.
struct PolicyCheck {
  struct RuleUse {
    std::string name;
    bool is_override = false;
    int64_t nodes = 0;                 // in the regime that has the most
    std::vector<std::string> targets;  // where they run
    std::vector<Range> tokens;         // regimes that have some, neighbours joined
  };
  std::string policy;
  std::string model;
  std::vector<Range> regimes;
  std::vector<RuleUse> rules;  // overrides, then the policy's
  std::vector<PolicyFinding> findings;
};
PolicyCheck MakePolicyCheck(const Program& program, std::vector<PolicyFinding> findings);

std::string ToText(const PolicyCheck& check);
std::string ToJson(const PolicyCheck& check);

}  // namespace infer
