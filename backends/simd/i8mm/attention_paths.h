// SPDX-License-Identifier: Apache-2.0
//
// Attention by cache type. Scores are kept in units of log2, so that the exponential is a plain
// power of two.
#pragma once

#include "backends/simd/isa/attention_kernels.h"

namespace infer::simd::i8mm {

// Return the kernels for a cache in f16 or q8_0; otherwise nullptr. The fastest ones round
// differently from 17 tokens of a sequence on; the invariant ones do not.
const AttentionKernels* FastAttention(DType cache);
const AttentionKernels* InvariantAttention(DType cache);

// Tokens one by one: f16 products into f32 sums. Relative RMS error 5e-4.
uint64_t DecodeHalfScratchBytes(int64_t group_heads, int64_t head_dim);
void DecodeHalf(const AttentionCall& call, int64_t begin, int64_t end, const AttentionPart& part);

// Both products with bf16 operands: all that the tokens see, or a range of it.
uint64_t TilesScratchBytes(int64_t tokens, int64_t group_heads, int64_t head_dim);
void AttendTilesWhole(const AttentionCall& call);
void AttendTilesRange(const AttentionCall& call, int64_t begin, int64_t end,
                      const AttentionPart& part);

}  // namespace infer::simd::i8mm
