// SPDX-License-Identifier: Apache-2.0
//
// Placement rules as a user writes them on one line:
#pragma once

#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "ir/policy/policy.h"

namespace infer {

// Prefixes of the names of overrides, each followed by the text that the user gave.
inline constexpr std::string_view kPlacePrefix = "place ";
inline constexpr std::string_view kTensorPrefix = "override-tensor ";
inline constexpr std::string_view kGpuLayersPrefix = "gpu-layers ";
inline constexpr std::string_view kCpuMoePrefix = "n-cpu-moe ";
inline constexpr std::string_view kCpuMoe = "cpu-moe";

// Parses the rule of an override and names it "place <text>". Errors give the character position.
absl::StatusOr<Rule> ParsePlaceRule(std::string_view text);

// Splits at separators that are outside () and [] and not after a backslash. Empty parts are kept.
std::vector<std::string_view> SplitOutsideBrackets(std::string_view text, char separator);

}  // namespace infer
