// SPDX-License-Identifier: Apache-2.0
//
// Attention of many tokens with AMX tiles: q, K, the weights and V in bf16, sums in f32.
#pragma once

#include "backends/simd/isa/attention_kernels.h"

namespace infer::simd::INFER_SIMD_LEVEL {

// For caches in f16 and q8_0.
uint64_t TileAttentionScratchBytes(int64_t tokens, int64_t group_heads, int64_t head_dim);
void TileAttention(const AttentionCall& call);

}  // namespace infer::simd::INFER_SIMD_LEVEL
