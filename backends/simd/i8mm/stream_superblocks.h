// SPDX-License-Identifier: Apache-2.0
//
// Products of 1 to 8 rows with packed panels of 8 columns whose blocks of 256 elements have integer
// scales for parts of 32 or 16, and optionally integer minima: every weight passes through the
// registers once. Sums stay integers over the 128 elements of an activation group.
#pragma once

#include <arm_neon.h>

#include "backends/simd/i8mm/int8_tile.h"
#include "backends/simd/i8mm/store_tile.h"
#include "backends/simd/i8mm/stream_weights.h"

namespace infer::simd::i8mm {
namespace {

// Format provides kBytes of a block of 8 columns, kPart (elements that share a scale), kFactor of
// the operands, Operand(block, part, step, j) with the quants of column pair j, PartScales(block,
// part) of 8 columns, Scales(block, out); and if kHasMins, MinScales(block, out) and Mins(block,
// half), [8 columns][4 parts] of a group.

constexpr int64_t kSuperBlock = 256;
constexpr int kSuperGroups = kSuperBlock / kGroup;
static_assert(kGroupBlocks == 4, "sums and minima of a group are four bytes");

inline int32x4_t FirstRow(int32x4_t a, int32x4_t b) {
  return vreinterpretq_s32_s64(vzip1q_s64(vreinterpretq_s64_s32(a), vreinterpretq_s64_s32(b)));
}

// One row. The sums of its quants are 64 * high + low, four of each.
template <class Format>
inline void OneRowMins(const std::byte* block, int half, const int8_t* split_sums,
                       float32x4_t (&sum)[2]) {
  const int8x8_t split = vld1_s8(split_sums);
  float32x4_t scales[2];
  Format::MinScales(block, scales);
  for (int i = 0; i < 2; ++i) {
    const int8x16_t mins = vld1q_s8(Format::Mins(block, half) + 16 * i);
    int32x4_t x = vdotq_lane_s32(vdupq_n_s32(0), mins, split, 0);
    x = vdotq_lane_s32(vshlq_n_s32(x, 6), mins, split, 1);
    sum[i] = vfmsq_f32(sum[i], vcvtq_f32_s32(x), scales[i]);
  }
}

template <class Format>
inline void OneRowGroup(const std::byte* block, int half, const int8_t* a, float32x4_t (&sum)[2]) {
  constexpr int kParts = kGroup / Format::kPart;
  constexpr int kSteps = Format::kPart / 8;
  int32x4_t dot[2] = {};
#pragma GCC unroll 4
  for (int part = 0; part < kParts; ++part) {
    int32x4_t x[kColumnPairs] = {};
    for (int step = 0; step < kSteps; ++step, a += 16) {
      const int8x16_t q = vld1q_s8(a);
      for (int j = 0; j < kColumnPairs; ++j) {
        x[j] = vmmlaq_s32(x[j], q, Format::Operand(block, half * kParts + part, step, j));
      }
    }
    const int16x8_t scales = Format::PartScales(block, half * kParts + part);
    dot[0] = vmlaq_s32(dot[0], FirstRow(x[0], x[1]), vmovl_s16(vget_low_s16(scales)));
    dot[1] = vmlaq_s32(dot[1], FirstRow(x[2], x[3]), vmovl_high_s16(scales));
  }
  float32x4_t scales[2];
  Format::Scales(block, scales);
  for (int i = 0; i < 2; ++i) sum[i] = vfmaq_f32(sum[i], vcvtq_f32_s32(dot[i]), scales[i]);
}

template <class Format>
inline void StreamOneSuperRow(const std::byte* block, const Int8Tile& tile, int64_t inner,
                              const TileOut& to) {
  const int8_t* a = tile.quants;
  const float* ratio = tile.ratios;
  const int8_t* split_sums = tile.split_sums;
  float32x4_t sum[2] = {};
  for (int64_t b = 0; b < inner / kSuperBlock; ++b, block += Format::kBytes) {
#pragma GCC unroll 2
    for (int half = 0; half < kSuperGroups; ++half) {
      FetchAhead<Format::kBytes / kSuperGroups>(block + half * (Format::kBytes / kSuperGroups));
      for (int i = 0; i < 2; ++i) sum[i] = vmulq_n_f32(sum[i], ratio[0]);
      OneRowGroup<Format>(block, half, a, sum);
      if constexpr (Format::kHasMins) OneRowMins<Format>(block, half, split_sums, sum);
      a += kGroup * 2;
      ratio += kPairFloats;
      split_sums += 16;
    }
  }
  StoreRow(vmulq_n_f32(sum[0], tile.last_scales[0]), vmulq_n_f32(sum[1], tile.last_scales[0]), to,
           0);
}

// {c0, c1, c0, c1} of column pair j as integers.
inline int32x4_t PairScales(int16x8_t scales, int j) {
  const int32x4_t wide = j < 2 ? vmovl_s16(vget_low_s16(scales)) : vmovl_high_s16(scales);
  const int64x2_t pairs = vreinterpretq_s64_s32(wide);
  return vreinterpretq_s32_s64(j % 2 == 0 ? vdupq_laneq_s64(pairs, 0) : vdupq_laneq_s64(pairs, 1));
}

// Both rows of each pair: an operand with the high halves of the sums in its first four places and
// the low halves in the others is multiplied with the minima first in the former, then in the
// latter.
template <class Format, int kPairs, int kFirst, int kCount>
inline void RowsMins(const std::byte* block, int half, const int8_t* split_sums,
                     float32x4_t (&sum)[kPairs][kCount]) {
  float32x4_t scales[2];
  Format::MinScales(block, scales);
  for (int j = 0; j < kCount; ++j) {
    const int8_t* at = Format::Mins(block, half) + 8 * (kFirst + j);
    const int32x4_t mins = vreinterpretq_s32_s8(vcombine_s8(vld1_s8(at), vdup_n_s8(0)));
    const int8x16_t high = vreinterpretq_s8_s32(vzip1q_s32(mins, vdupq_n_s32(0)));
    const int8x16_t low = vreinterpretq_s8_s32(vzip1q_s32(vdupq_n_s32(0), mins));
    const float32x4_t scale = ColumnPair(scales, kFirst + j);
    for (int r = 0; r < kPairs; ++r) {
      const int8x16_t split = vld1q_s8(split_sums + 16 * r);
      int32x4_t x = vmmlaq_s32(vdupq_n_s32(0), split, high);
      x = vmmlaq_s32(vshlq_n_s32(x, 6), split, low);
      sum[r][j] = vfmsq_f32(sum[r][j], vcvtq_f32_s32(x), scale);
    }
  }
}

template <class Format, int kPairs, int kFirst, int kCount>
inline void SuperRowsGroup(const std::byte* block, int half, const int8_t* a, const float* ratio,
                           const int8_t* split_sums, float32x4_t (&sum)[kPairs][kCount]) {
  constexpr int kParts = kGroup / Format::kPart;
  constexpr int kSteps = Format::kPart / 8;
  int32x4_t dot[kPairs][kCount] = {};
#pragma GCC unroll 2  // even and odd parts may be unpacked differently
  for (int part = 0; part < kParts; ++part) {
    int32x4_t x[kPairs][kCount] = {};
#pragma GCC unroll 4
    for (int step = 0; step < kSteps; ++step, a += 16 * kPairs) {
      int8x16_t v[kCount];
      for (int j = 0; j < kCount; ++j) {
        v[j] = Format::Operand(block, half * kParts + part, step, kFirst + j);
      }
      for (int r = 0; r < kPairs; ++r) {
        const int8x16_t q = vld1q_s8(a + 16 * r);
        for (int j = 0; j < kCount; ++j) x[r][j] = vmmlaq_s32(x[r][j], q, v[j]);
      }
    }
    const int16x8_t scales = Format::PartScales(block, half * kParts + part);
    for (int j = 0; j < kCount; ++j) {
      const int32x4_t scale = PairScales(scales, kFirst + j);
      for (int r = 0; r < kPairs; ++r) dot[r][j] = vmlaq_s32(dot[r][j], x[r][j], scale);
    }
  }
  float32x4_t scales[2];
  Format::Scales(block, scales);
  for (int r = 0; r < kPairs; ++r) {
    const float32x4_t f = vld1q_f32(ratio + kPairFloats * r);
    for (int j = 0; j < kCount; ++j) {
      sum[r][j] = vfmaq_f32(vmulq_f32(sum[r][j], f), vcvtq_f32_s32(dot[r][j]),
                            ColumnPair(scales, kFirst + j));
    }
  }
  if constexpr (Format::kHasMins) {
    RowsMins<Format, kPairs, kFirst, kCount>(block, half, split_sums, sum);
  }
}

template <class Format, int kPairs>
inline void StreamSuperRows(const std::byte* block, const Int8Tile& tile, int64_t inner,
                            const TileOut& to) {
  constexpr int kCount = kPairs <= 2 ? kColumnPairs : kColumnPairs / 2;
  const int8_t* a = tile.quants;
  const float* ratio = tile.ratios;
  const int8_t* split_sums = tile.split_sums;
  float32x4_t sum[kColumnPairs / kCount][kPairs][kCount] = {};
  for (int64_t b = 0; b < inner / kSuperBlock; ++b, block += Format::kBytes) {
    for (int half = 0; half < kSuperGroups; ++half) {
      FetchAhead<Format::kBytes / kSuperGroups>(block + half * (Format::kBytes / kSuperGroups));
      SuperRowsGroup<Format, kPairs, 0, kCount>(block, half, a, ratio, split_sums, sum[0]);
      if constexpr (kCount < kColumnPairs) {
        SuperRowsGroup<Format, kPairs, kCount, kCount>(block, half, a, ratio, split_sums, sum[1]);
      }
      a += kGroup * 2 * kPairs;
      ratio += kPairs * kPairFloats;
      split_sums += kPairs * 16;
    }
  }
  TileSums<kPairs> sums;
  for (int r = 0; r < kPairs; ++r) {
    const float32x4_t scale = vld1q_f32(tile.last_scales + kPairFloats * r);
    for (int j = 0; j < kColumnPairs; ++j) {
      sums.at[r][j] = vmulq_f32(sum[j / kCount][r][j % kCount], scale);
    }
  }
  StoreTile<kPairs>(sums, to);
}

}  // namespace
}  // namespace infer::simd::i8mm
