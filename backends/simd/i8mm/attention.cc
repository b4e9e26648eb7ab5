// SPDX-License-Identifier: Apache-2.0
#include "backends/simd/i8mm/attention_paths.h"
#include "backends/simd/isa/linear_kernel.h"
#include "backends/simd/vector/functions.h"

namespace infer::simd::i8mm {
namespace {

uint64_t HalfScratchBytes(int64_t tokens, int64_t group_heads, int64_t head_dim) {
  const uint64_t decode = DecodeHalfScratchBytes(group_heads, head_dim);
  const uint64_t tiles = TilesScratchBytes(tokens, group_heads, head_dim);
  return decode > tiles ? decode : tiles;
}

// Up to 16 tokens of a sequence are computed one by one, so that decoding, drafts and batches have
// one numerics class.
constexpr AttentionKernels kHalf = {.scratch_bytes = HalfScratchBytes,
                                    .range = DecodeHalf,
                                    .merge = MergeParts,
                                    .many = AttendTilesWhole,
                                    .many_from = kTileMinRows,
                                    .rounds_to = "f16"};

constexpr AttentionKernels kTiles = {.scratch_bytes = TilesScratchBytes,
                                     .range = AttendTilesRange,
                                     .merge = MergeParts,
                                     .rounds_to = "bf16"};

bool Reads(DType cache) { return cache == DType::kF16 || cache == DType::kQ8_0; }

}  // namespace

const AttentionKernels* FastAttention(DType cache) { return Reads(cache) ? &kHalf : nullptr; }

const AttentionKernels* InvariantAttention(DType cache) { return Reads(cache) ? &kTiles : nullptr; }

}  // namespace infer::simd::i8mm
