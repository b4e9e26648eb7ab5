// SPDX-License-Identifier: Apache-2.0
//
// What self_attention shares with the kernels of heads.
#pragma once

#include <memory>
#include <vector>

#include "backends/cuda/launch.h"

namespace infer::cuda {

// The rotation of a self_attention node, for KernelArgs::bound.
std::shared_ptr<const void> BindSelfAttention(const Node& node);

// The arguments of attention_inputs, whose inputs are the first ones of the node.
HeadArgs InputHeads(const KernelArgs& args, const DeviceBatch& batch, float eps, float* q_out);
void AddAttentionInputs(const HeadArgs& heads, DType cache, std::vector<Launch>& out);

}  // namespace infer::cuda
