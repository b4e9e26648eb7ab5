// SPDX-License-Identifier: Apache-2.0
//
// A graph small enough to know every number of it, compiled for tests of the executor.
#pragma once

#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "backends/cpu/cpu_kernel.h"
#include "ir/program/program.h"
#include "runtime/kernel_registry.h"
#include "tests/runtime/vector_weights.h"

namespace infer::test {

inline constexpr int64_t kTinyRows = 8;     // of the table: ids 0 to 7
inline constexpr int64_t kTinyColumns = 4;  // of the table
inline constexpr int64_t kTinyMaxTokens = 6;

// "table": row r is {10r, 10r+1, 10r+2, 10r+3}. "output": row i picks column i.
VectorWeights TinyWeights();

// tokens -> embed -> scale by 2 -> select_rows -> linear. Results: logits f32[R,3] and the scaled
// rows f32[T,4]. One regime for `tokens`, R up to 2, S up to 16.
Program TinyProgram(const VectorWeights& weights, Range tokens = {1, kTinyMaxTokens});
// Compiled with the kernels of another registry.
Program TinyProgram(const VectorWeights& weights, const KernelRegistry& registry);

// The same with a regime for up to 2 tokens and one for more.
Program TwoRegimeProgram(const VectorWeights& weights);

// A registry of the scalar kernels, as changed by the caller: `kernels` must outlive it.
std::vector<CpuKernel> ScalarKernelsExcept(std::string_view name);
CpuKernel& KernelNamed(std::vector<CpuKernel>& kernels, std::string_view name);
std::unique_ptr<KernelRegistry> RegistryOf(const std::vector<CpuKernel>& kernels,
                                           std::span<const WeightLayout> layouts = {});

}  // namespace infer::test
