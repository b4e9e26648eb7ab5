// SPDX-License-Identifier: Apache-2.0
//
// Ways of placing that users of llama.cpp know, as rules.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "ir/policy/policy.h"

namespace infer {

// "RE=TARGET", several with commas between: what reads a weight with such a name. "CPU" stands
// for parallel, "GPU" and "MTL0" for metal, in capitals or not.
absl::StatusOr<std::vector<Rule>> ParseTensorOverrides(std::string_view text);

// The last `count` of `layers` layers, and the output behind them, on
// metal.
std::vector<Rule> LastLayersOnGpu(int64_t count, int64_t layers);

}  // namespace infer
