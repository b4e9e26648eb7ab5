// SPDX-License-Identifier: Apache-2.0
//
// Attention by cache type. Scores are kept in units of log2, so that the exponential is a plain
// power of two.
#pragma once

#include "backends/simd/isa/attention_kernels.h"

namespace infer::simd::i8mm {

// Returns the kernels for a cache in f16 or q8_0; otherwise nullptr.
const AttentionKernels* AttentionFor(DType cache);

// f16 and q8_0 caches, tokens one by one: f16 products into f32 sums. Relative RMS error 5e-4.
uint64_t DecodeHalfScratchBytes(int64_t group_heads, int64_t head_dim);
void DecodeHalf(const AttentionCall& call, int64_t begin, int64_t end, const AttentionPart& part);

// f16 and q8_0 caches, many tokens: both products with bf16 operands.
uint64_t PrefillBf16ScratchBytes(int64_t tokens, int64_t group_heads, int64_t head_dim);
void PrefillBf16(const AttentionCall& call);

}  // namespace infer::simd::i8mm
