// SPDX-License-Identifier: Apache-2.0
//
// The attention of a level that has tiles: tiles for sequences with many tokens in a call.
#pragma once

#include <algorithm>

#include "backends/simd/isa/attention_kernels.h"
#include "backends/simd/isa/linear_kernel.h"

namespace infer::simd {

// Of f16 and q8_0 caches; others, and fewer tokens, have the plain attention.
template <const AttentionKernels* (*kPlain)(DType cache), auto kScratchBytes, auto kMany>
const AttentionKernels* PlainOrTilesAttention(DType cache) {
  const AttentionKernels* plain = kPlain(cache);
  if (cache != DType::kF16 && cache != DType::kQ8_0) return plain;
  static const AttentionKernels kKernels = [&] {
    AttentionKernels kernels = *plain;
    kernels.scratch_bytes = [](int64_t tokens, int64_t group_heads, int64_t head_dim) {
      return std::max(kPlain(DType::kF16)->scratch_bytes(tokens, group_heads, head_dim),
                      kScratchBytes(tokens, group_heads, head_dim));
    };
    kernels.many = kMany;
    kernels.many_from = kTileMinRows;
    return kernels;
  }();
  return &kKernels;
}

}  // namespace infer::simd
