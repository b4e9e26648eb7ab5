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

// Up to 16 tokens of a sequence are computed one by one, so that decoding, drafts and batches have
// one numerics class.
constexpr AttentionKernels kHalf = {.scratch_bytes = HalfScratchBytes,
                                    .range = DecodeHalf,
                                    .merge = MergeParts,
                                    .many = PrefillBf16,
                                    .many_from = kTileMinRows,
                                    .rounds_to = "f16"};

}  // namespace

const AttentionKernels* AttentionFor(DType cache) {
  return cache == DType::kF16 || cache == DType::kQ8_0 ? &kHalf : nullptr;
}

}  // namespace infer::simd::i8mm
