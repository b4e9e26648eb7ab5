// SPDX-License-Identifier: Apache-2.0
//
// The parts of the kernel table, one function per family of kernels.
#pragma once

#include <array>
#include <span>
#include <string>
#include <string_view>

#include "backends/cuda/launch.h"

namespace infer::cuda {

std::span<const CudaKernel> AttentionTable();
std::span<const CudaKernel> HeadTable();    // rope, qk_norm_rope, kv_write, attention_inputs
std::span<const CudaKernel> LinearTable();  // linear, multi_linear and what is joined with them
std::span<const CudaKernel> RowTable();     // elementwise ops, norms, argmax, embed, select_rows
std::span<const CudaKernel> TopKTable();

constexpr CudaKernel Kernel(std::string_view name, const OpDef* op,
                            Decision (*accepts)(const Node&), decltype(CudaKernel::modules) modules,
                            decltype(CudaKernel::launch) launch,
                            decltype(CudaKernel::bind) bind = nullptr) {
  return {.info = {.name = name, .op = op, .target = Target::kCuda, .accepts = accepts},
          .modules = modules,
          .launch = launch,
          .bind = bind};
}

// Gives all kernels of a table the numerics class of those that compute every row by itself.
template <size_t kSize>
constexpr std::array<CudaKernel, kSize> RowByRow(std::array<CudaKernel, kSize> table) {
  for (CudaKernel& kernel : table) {
    kernel.info.numerics = [](const Node&, Range) { return std::string("rows"); };
  }
  return table;
}

}  // namespace infer::cuda
