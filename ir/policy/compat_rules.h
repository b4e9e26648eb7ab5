// SPDX-License-Identifier: Apache-2.0
//
// Placement options that users of llama.cpp know, expressed as rules.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "ir/policy/policy.h"

namespace infer {

// Parses "RE=TARGET" items separated by commas: each places the nodes that read a weight whose name
// matches. "CPU" stands for parallel, "GPU" and "MTL0" for metal, "CUDA0" for cuda, in
// any case.
absl::StatusOr<std::vector<Rule>> ParseTensorOverrides(std::string_view text);

// Returns rules that place the last `count` of `layers` layers, and the output after them, on
// a GPU.
std::vector<Rule> LastLayersOnGpu(int64_t count, int64_t layers);

// Returns a rule that keeps the experts of the first `count` layers on the CPU; none for 0.
std::vector<Rule> ExpertsOnCpu(int64_t count);

// Returns a rule that keeps the experts of all layers on the CPU.
Rule AllExpertsOnCpu();

}  // namespace infer
