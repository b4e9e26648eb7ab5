// SPDX-License-Identifier: Apache-2.0
//
// Products of 1 to 8 rows with packed panels of 8 columns whose blocks of 32 have one f16 scale:
// every weight passes through the registers once, as one contiguous stream.
//
// For each group of 128 elements (the last may be shorter), a panel holds the scales of its blocks
// and then their quants.
#pragma once

#include <arm_neon.h>

#include "backends/simd/i8mm/int8_tile.h"
#include "backends/simd/i8mm/store_tile.h"

namespace infer::simd::i8mm {
namespace {

// Format provides kBlockBytes, the size of the quants of 8 columns; kFactor, the factor in the
// unpacked quants; StoredBlocks(blocks), the number of blocks that a group with this many blocks
// has room for; and for block b of a group, Operand<b % 2>(quants, b / 2, step, j) with the quants
// of column pair j in the step of 8 elements, and Scales<b % 2>(scales, b / 2, out).

// Weights are prefetched 16 KiB ahead, to L3 only: one token of Q8_0 reads 39 GB/s where the
// hardware's own prefetching gives 27. 4 KiB ahead gives 24, 8 KiB 33, 32 and 64 KiB 38.6; to L2
// 33; with a streaming hint 13.
constexpr int64_t kAheadBytes = 16 * 1024;

template <int64_t kBytes>
inline void FetchAhead(const std::byte* at) {
#pragma GCC unroll 32
  for (int64_t i = 0; i < kBytes; i += 64) __builtin_prefetch(at + kAheadBytes + i, 0, 1);
}

constexpr int64_t kScaleBytes = kPanelColumns * 2;  // per block

inline void WidenScales(const std::byte* at, float32x4_t (&out)[2]) {
  const float16x8_t scales = vld1q_f16(reinterpret_cast<const float16_t*>(at));
  out[0] = vcvt_f32_f16(vget_low_f16(scales));
  out[1] = vcvt_high_f32_f16(scales);
}

// {c0, c1, c0, c1} of column pair j.
inline float32x4_t ColumnPair(const float32x4_t (&scales)[2], int j) {
  const float64x2_t pairs = vreinterpretq_f64_f32(scales[j / 2]);
  return vreinterpretq_f32_f64(j % 2 == 0 ? vdupq_laneq_f64(pairs, 0) : vdupq_laneq_f64(pairs, 1));
}

// One row. The second row of its pair is zeros, so two accumulators share one conversion.
template <class Format, int kOdd>
inline void OneRowBlock(const std::byte* quants, const std::byte* scale_at, int64_t pair,
                        const int8_t* a, float32x4_t (&sum)[2]) {
  const int64_t b = 2 * pair + kOdd;
  FetchAhead<Format::kBlockBytes>(quants + b * Format::kBlockBytes);
  int32x4_t x[kColumnPairs] = {};
  for (int step = 0; step < 4; ++step) {
    const int8x16_t q = vld1q_s8(a + b * 64 + 16 * step);
    for (int j = 0; j < kColumnPairs; ++j) {
      x[j] = vmmlaq_s32(x[j], q, Format::template Operand<kOdd>(quants, pair, step, j));
    }
  }
  float32x4_t scales[2];
  Format::template Scales<kOdd>(scale_at, pair, scales);
  for (int half = 0; half < 2; ++half) {
    const int64x2_t low = vreinterpretq_s64_s32(x[2 * half]);
    const int64x2_t high = vreinterpretq_s64_s32(x[2 * half + 1]);
    const int32x4_t row = vreinterpretq_s32_s64(vzip1q_s64(low, high));
    sum[half] = vfmaq_f32(sum[half], vcvtq_f32_s32(row), scales[half]);
  }
}

template <class Format>
inline void StreamOneRow(const std::byte* panel, const Int8Tile& tile, int64_t inner,
                         const TileOut& to) {
  int64_t blocks = inner / kBlock;
  const int8_t* a = tile.quants;
  const float* ratio = tile.ratios;
  float32x4_t sum[2] = {};
  for (; blocks > 0; blocks -= kGroupBlocks, ratio += kPairFloats) {
    FetchAhead<kGroupBlocks * kScaleBytes>(panel);
    for (int half = 0; half < 2; ++half) sum[half] = vmulq_n_f32(sum[half], ratio[0]);
    if (blocks >= kGroupBlocks) {
      const std::byte* quants = panel + kGroupBlocks * kScaleBytes;
#pragma GCC unroll 2
      for (int pair = 0; pair < kGroupBlocks / 2; ++pair) {
        OneRowBlock<Format, 0>(quants, panel, pair, a, sum);
        OneRowBlock<Format, 1>(quants, panel, pair, a, sum);
      }
      panel = quants + kGroupBlocks * Format::kBlockBytes;
      a += kGroupBlocks * 64;
      continue;
    }
    const std::byte* quants = panel + Format::StoredBlocks(blocks) * kScaleBytes;
    for (int64_t pair = 0; 2 * pair < blocks; ++pair) {
      OneRowBlock<Format, 0>(quants, panel, pair, a, sum);
      if (2 * pair + 1 < blocks) OneRowBlock<Format, 1>(quants, panel, pair, a, sum);
    }
  }
  const float scale = tile.last_scales[0] * (1 / Format::kFactor);
  StoreRow(vmulq_n_f32(sum[0], scale), vmulq_n_f32(sum[1], scale), to, 0);
}

// Blocks kOdd to kLast of a pair and column pairs [kFirst, kFirst + kCount). An accumulator starts
// at kMagic, so that a subtraction at full rate replaces the conversion to float.
template <class Format, int kPairs, int kOdd, int kLast, int kFirst, int kCount>
inline void RowsBlocks(const std::byte* quants, const std::byte* scale_at, int64_t pair,
                       const int8_t* a, float32x4_t (&sum)[kPairs][kCount]) {
  constexpr int kBlocks = kLast - kOdd + 1;
  if constexpr (kFirst == 0) {
    FetchAhead<kBlocks * Format::kBlockBytes>(quants + (2 * pair + kOdd) * Format::kBlockBytes);
  }
  int32x4_t x[kBlocks][kPairs][kCount];
  for (int b = 0; b < kBlocks; ++b) {
    for (int r = 0; r < kPairs; ++r) {
      for (int j = 0; j < kCount; ++j) {
        x[b][r][j] = vreinterpretq_s32_f32(vdupq_n_f32(kMagic));
      }
    }
  }
  const auto multiply = [&]<int kBlock>(int step, int32x4_t(&to)[kPairs][kCount]) {
    int8x16_t v[kCount];
    for (int j = 0; j < kCount; ++j) {
      v[j] = Format::template Operand<kBlock>(quants, pair, step, kFirst + j);
    }
    for (int r = 0; r < kPairs; ++r) {
      const int8x16_t q = vld1q_s8(a + (((2 * pair + kBlock) * 4 + step) * kPairs + r) * 16);
      for (int j = 0; j < kCount; ++j) to[r][j] = vmmlaq_s32(to[r][j], q, v[j]);
    }
  };
  for (int step = 0; step < 4; ++step) {
    multiply.template operator()<kOdd>(step, x[0]);
    if constexpr (kBlocks == 2) multiply.template operator()<kLast>(step, x[1]);
  }
  const auto add = [&]<int kBlock>(const int32x4_t(&from)[kPairs][kCount]) {
    float32x4_t scales[2];
    Format::template Scales<kBlock>(scale_at, pair, scales);
    for (int j = 0; j < kCount; ++j) {
      const float32x4_t scale = ColumnPair(scales, kFirst + j);
      for (int r = 0; r < kPairs; ++r) {
        const float32x4_t f = vsubq_f32(vreinterpretq_f32_s32(from[r][j]), vdupq_n_f32(kMagic));
        sum[r][j] = vfmaq_f32(sum[r][j], f, scale);
      }
    }
  };
  add.template operator()<kOdd>(x[0]);
  if constexpr (kBlocks == 2) add.template operator()<kLast>(x[1]);
}

// One group of `count` blocks.
template <class Format, int kPairs, int kFirst, int kCount>
inline void RowsGroup(const std::byte* group, int64_t count, const int8_t* a, const float* ratio,
                      float32x4_t (&sum)[kPairs][kCount]) {
  const std::byte* quants = group + Format::StoredBlocks(count) * kScaleBytes;
  for (int r = 0; r < kPairs; ++r) {
    const float32x4_t f = vld1q_f32(ratio + kPairFloats * r);
    for (int j = 0; j < kCount; ++j) sum[r][j] = vmulq_f32(sum[r][j], f);
  }
  for (int64_t pair = 0; 2 * pair < count; ++pair) {
    // Processing two blocks side by side pays only for two rows (4 rows: 26 instead of 29 GB/s from
    // cache).
    if (kPairs * kCount <= 4 && 2 * pair + 1 < count) {
      RowsBlocks<Format, kPairs, 0, 1, kFirst, kCount>(quants, group, pair, a, sum);
      continue;
    }
    RowsBlocks<Format, kPairs, 0, 0, kFirst, kCount>(quants, group, pair, a, sum);
    if (2 * pair + 1 < count) {
      RowsBlocks<Format, kPairs, 1, 1, kFirst, kCount>(quants, group, pair, a, sum);
    }
  }
}

template <class Format, int kPairs>
inline void StreamRows(const std::byte* panel, const Int8Tile& tile, int64_t inner,
                       const TileOut& to) {
  int64_t blocks = inner / kBlock;
  const int8_t* a = tile.quants;
  const float* ratio = tile.ratios;
  // The sums and accumulators of 8 columns fit into the registers together for up to 4 rows; with
  // more rows, 4 columns of a group are processed at a time.
  constexpr int kCount = kPairs <= 2 ? kColumnPairs : kColumnPairs / 2;
  float32x4_t sum[kColumnPairs / kCount][kPairs][kCount] = {};
  for (; blocks > 0; blocks -= kGroupBlocks) {
    const int64_t count = Smaller(blocks, kGroupBlocks);
    FetchAhead<kGroupBlocks * kScaleBytes>(panel);
    RowsGroup<Format, kPairs, 0, kCount>(panel, count, a, ratio, sum[0]);
    if constexpr (kCount < kColumnPairs) {
      RowsGroup<Format, kPairs, kCount, kCount>(panel, count, a, ratio, sum[1]);
    }
    panel += Format::StoredBlocks(count) * (kScaleBytes + Format::kBlockBytes);
    a += count * 4 * kPairs * 16;
    ratio += kPairs * kPairFloats;
  }
  TileSums<kPairs> sums;
  for (int r = 0; r < kPairs; ++r) {
    const float32x4_t scale =
        vmulq_n_f32(vld1q_f32(tile.last_scales + kPairFloats * r), 1 / Format::kFactor);
    for (int j = 0; j < kColumnPairs; ++j) {
      sums.at[r][j] = vmulq_f32(sum[j / kCount][r][j % kCount], scale);
    }
  }
  StoreTile<kPairs>(sums, to);
}

}  // namespace
}  // namespace infer::simd::i8mm
