// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>

#include "backends/cpu/cpu_kernel.h"

namespace infer::simd {

// Returns the kernels of the op `attention`, one per cache type.
std::span<const CpuKernel> AttentionTable();

// Returns the scratch bytes of one call: an upper bound over all levels of all architectures.
uint64_t AttentionScratchBound(int64_t tokens, int64_t group_heads, int64_t head_dim);

}  // namespace infer::simd
