// SPDX-License-Identifier: Apache-2.0
#include "backends/simd/i8mm/attention_paths.h"

namespace infer::simd::i8mm {
namespace {

uint64_t HalfScratchBytes(int64_t tokens, int64_t group_heads, int64_t head_dim) {
  const uint64_t decode = DecodeHalfScratchBytes(group_heads, head_dim);
  const uint64_t prefill = PrefillBf16ScratchBytes(tokens, group_heads, head_dim);
  return decode > prefill ? decode : prefill;
}

constexpr AttentionKernels kHalf = {HalfScratchBytes, PrefillBf16, DecodeHalf};
constexpr AttentionKernels kF32 = {AttentionF32ScratchBytes, PrefillF32, DecodeF32};

}  // namespace

const AttentionKernels* AttentionFor(DType cache) {
  switch (cache) {
    case DType::kF32:
      return &kF32;
    case DType::kF16:
    case DType::kQ8_0:
      return &kHalf;
    default:
      return nullptr;
  }
}

}  // namespace infer::simd::i8mm
