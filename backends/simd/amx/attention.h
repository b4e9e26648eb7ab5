// SPDX-License-Identifier: Apache-2.0
//
// Attention with AMX tiles: q, K, the weights and V in bf16, sums in f32.
#pragma once

#include "backends/simd/isa/attention_kernels.h"

namespace infer::simd::INFER_SIMD_LEVEL {

// For caches in f16 and q8_0.
uint64_t TileAttentionScratchBytes(int64_t tokens, int64_t group_heads, int64_t head_dim);
// Of all that the tokens see, in one pass.
void TileAttention(const AttentionCall& call);
// Of a range of positions, as AttentionKernels::range.
void TileAttentionRange(const AttentionCall& call, int64_t begin, int64_t end,
                        const AttentionPart& part);

}  // namespace infer::simd::INFER_SIMD_LEVEL
