// SPDX-License-Identifier: Apache-2.0
//
// The attention of a level that has tiles, made of the plain attention of the level below it and of
// the functions of its tiles. Tiles read f16 and q8_0 caches; an f32 cache has the plain one.
#pragma once

#include <algorithm>

#include "backends/simd/isa/attention_kernels.h"
#include "backends/simd/isa/linear_kernel.h"

namespace infer::simd {

// Tiles is a struct with the level's functions: Plain, ScratchBytes, Whole, Range.
template <class Tiles>
AttentionKernels WithTileScratch(DType cache) {
  AttentionKernels kernels = *Tiles::Plain(cache);
  kernels.scratch_bytes = [](int64_t tokens, int64_t group_heads, int64_t head_dim) {
    return std::max(Tiles::Plain(DType::kF16)->scratch_bytes(tokens, group_heads, head_dim),
                    Tiles::ScratchBytes(tokens, group_heads, head_dim));
  };
  return kernels;
}

inline bool TilesRead(DType cache) { return cache == DType::kF16 || cache == DType::kQ8_0; }

// The fastest: tiles for sequences with many tokens in a call.
template <class Tiles>
const AttentionKernels* PlainOrTilesAttention(DType cache) {
  if (!TilesRead(cache)) return Tiles::Plain(cache);
  static const AttentionKernels kKernels = [] {
    AttentionKernels kernels = WithTileScratch<Tiles>(DType::kF16);
    kernels.many = Tiles::Whole;
    kernels.many_from = kTileMinRows;
    return kernels;
  }();
  return &kKernels;
}

// For any number of tokens, with one numerics class.
template <class Tiles>
const AttentionKernels* TilesOnlyAttention(DType cache) {
  if (!TilesRead(cache)) return Tiles::Plain(cache);
  static const AttentionKernels kKernels = [] {
    AttentionKernels kernels = WithTileScratch<Tiles>(DType::kF16);
    kernels.range = Tiles::Range;
    kernels.rounds_to = "bf16";
    return kernels;
  }();
  return &kKernels;
}

}  // namespace infer::simd
