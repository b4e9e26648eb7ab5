// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string_view>

#include "absl/status/statusor.h"
#include "ir/policy/policy.h"

namespace infer {

struct NamedPolicyText {
  std::string_view name;
  std::string_view textproto;
};

// The built-in policies of passes/policies/, in ascending order of their names.
std::span<const NamedPolicyText> NamedPolicies();

// The name that calibration gives to the policies it writes. Like the built-in ones, they are meant
// for all models.
inline constexpr std::string_view kTunedPolicy = "tuned";

bool IsNamedPolicy(std::string_view name);

// Loads a built-in policy by name, or else the file at that path.
absl::StatusOr<Policy> LoadPolicy(std::string_view name_or_path);

// Returns the policy with the rule that places collectives, if it divides the model: no other rule
// has to consider them.
Policy WithCollectives(Policy policy);

}  // namespace infer
