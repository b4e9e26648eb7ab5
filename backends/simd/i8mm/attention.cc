// SPDX-License-Identifier: Apache-2.0
#include "backends/simd/i8mm/attention_paths.h"
#include "backends/simd/isa/linear_kernel.h"
#include "backends/simd/vector/functions.h"

namespace infer::simd::i8mm {
namespace {

uint64_t HalfScratchBytes(int64_t tokens, int64_t group_heads, int64_t head_dim) {
  const uint64_t decode = DecodeHalfScratchBytes(group_heads, head_dim);
  const uint64_t prefill = PrefillBf16ScratchBytes(tokens, group_heads, head_dim);
  return decode > prefill ? decode : prefill;
}

// Token by token, so that up to 16 tokens of a sequence have the bits that each has alone.
void RangeHalf(const AttentionCall& call, int64_t begin, int64_t end, const AttentionPart& part) {
  for (int64_t t = 0; t < call.tokens; ++t) {
    AttentionCall one = call;
    one.q += t * call.q_stride;
    one.tokens = 1;
    one.first_visible += t;
    const int64_t seen = one.first_visible + 1;
    DecodeHalf(one, begin, seen < end ? seen : end,
               {part.max + t * call.group_heads, part.sum + t * call.group_heads,
                part.out + t * part.out_stride, part.out_stride});
  }
}

constexpr AttentionKernels kHalf = {.scratch_bytes = HalfScratchBytes,
                                    .range = RangeHalf,
                                    .merge = MergeParts,
                                    .many = PrefillBf16,
                                    .many_from = kTileMinRows,
                                    .rounds_to = "f16"};

}  // namespace

const AttentionKernels* AttentionFor(DType cache) {
  return cache == DType::kF16 || cache == DType::kQ8_0 ? &kHalf : nullptr;
}

}  // namespace infer::simd::i8mm
