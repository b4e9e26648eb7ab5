// SPDX-License-Identifier: Apache-2.0
//
// linear and multi_linear, using the products of the chosen level.
#pragma once

#include <cstdint>
#include <span>

#include "backends/cpu/cpu_kernel.h"

namespace infer::simd {

// Returns one row per weight type and op, twice: with activations rounded to the weight's
// precision, and with activations in f32. multi_linear accepts any mix of types.
std::span<const CpuKernel> LinearTable();

// Upper bounds over all levels of all architectures, so that a Program compiled on one runs on
// another. Shared: one form of the activations of `tokens` rows. Per thread: panels of unpacked
// weights.
uint64_t ActivationBytesBound(int64_t tokens, int64_t inner);
uint64_t LinearScratchBound(int64_t inner);

}  // namespace infer::simd
