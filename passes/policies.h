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

// The policies of passes/policies/, built in; by name, ascending.
std::span<const NamedPolicyText> NamedPolicies();

// What calibrating calls the policies that it writes: they are for all models, as the
// named ones are.
inline constexpr std::string_view kTunedPolicy = "tuned";

bool IsNamedPolicy(std::string_view name);

// A built-in policy by name, or else the file at that path.
absl::StatusOr<Policy> LoadPolicy(std::string_view name_or_path);

}  // namespace infer
