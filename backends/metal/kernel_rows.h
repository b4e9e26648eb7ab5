// SPDX-License-Identifier: Apache-2.0
//
// The parts of the kernel table, one function per family of kernels.
#pragma once

#include <span>
#include <string_view>

#include "backends/metal/dispatch.h"

namespace infer::metal {

std::span<const MetalKernel> AttentionTable();
std::span<const MetalKernel> ColumnsTable();  // transpose and ops that move columns
std::span<const MetalKernel> ElementwiseTable();
std::span<const MetalKernel> EntriesTable();  // attn_mask, kv_read
std::span<const MetalKernel> ExpertTable();   // expert_linear, top_k, combine
std::span<const MetalKernel> GatherTable();   // embed, gather_rows, select_rows
std::span<const MetalKernel> HeadTable();     // rope, qk_norm_rope, kv_write, attention_inputs
std::span<const MetalKernel> LinearTable();
std::span<const MetalKernel> RowTable();  // norms, softmax, argmax

constexpr MetalKernel Kernel(std::string_view name, const OpDef* op,
                             Decision (*accepts)(const Node&),
                             decltype(MetalKernel::pipelines) pipelines,
                             decltype(MetalKernel::dispatch) dispatch,
                             decltype(MetalKernel::bind) bind = nullptr) {
  return {.info = {.name = name, .op = op, .target = Target::kMetal, .accepts = accepts},
          .pipelines = pipelines,
          .dispatch = dispatch,
          .bind = bind};
}

}  // namespace infer::metal
