// SPDX-License-Identifier: Apache-2.0
//
// Reads and writes policies as text files.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "ir/policy/policy.h"

namespace infer {

// A policy of 200 rules takes 40 KB.
inline constexpr size_t kMaxPolicyBytes = size_t{1} << 20;

// Uses the text format of ir/policy/policy.proto. `where` names the file in errors.
absl::StatusOr<Policy> ParsePolicy(std::string_view textproto, std::string_view where);
std::string PrintPolicy(const Policy& policy);

}  // namespace infer
