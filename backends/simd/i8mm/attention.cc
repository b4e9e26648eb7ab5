// SPDX-License-Identifier: Apache-2.0
#include "backends/simd/i8mm/attention_paths.h"

namespace infer::simd::i8mm {
namespace {

uint64_t ScratchBytes(int64_t tokens, int64_t group_heads, int64_t head_dim) {
  const uint64_t decode = DecodeHalfScratchBytes(group_heads, head_dim);
  const uint64_t prefill = PrefillBf16ScratchBytes(tokens, group_heads, head_dim);
  const uint64_t f32 = AttentionF32ScratchBytes(tokens, group_heads, head_dim);
  const uint64_t most = decode > prefill ? decode : prefill;
  return most > f32 ? most : f32;
}

void Prefill(const AttentionCall& call) {
  call.cache.dtype == DType::kF32 ? PrefillF32(call) : PrefillBf16(call);
}

void Decode(const AttentionCall& call, int64_t begin, int64_t end, const AttentionPart& part) {
  call.cache.dtype == DType::kF32 ? DecodeF32(call, begin, end, part)
                                  : DecodeHalf(call, begin, end, part);
}

}  // namespace

const AttentionKernels kAttention = {ScratchBytes, Prefill, Decode};

}  // namespace infer::simd::i8mm
