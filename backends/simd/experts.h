// SPDX-License-Identifier: Apache-2.0
//
// expert_linear and expert_swiglu, using the products of the chosen level; route and combine.
#pragma once

#include <span>

#include "backends/cpu/cpu_kernel.h"

namespace infer::simd {

// Returns the kinds of rows that LinearTable has: for expert_linear one per weight type, for
// expert_swiglu one for any mix of types.
std::span<const CpuKernel> ExpertTable();

}  // namespace infer::simd
