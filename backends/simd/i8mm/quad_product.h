// SPDX-License-Identifier: Apache-2.0
//
// The product of a tile of row pairs with four columns. Integers are exact, and the groups of a
// column are added as panels/int8_product.h adds them, so that a row has the same bits here and
// there.
#pragma once

#include <arm_neon.h>

#include "backends/simd/i8mm/ordered.h"
#include "backends/simd/i8mm/quad.h"
#include "backends/simd/i8mm/row_pairs.h"

namespace infer::simd::i8mm {
namespace {

// {r0 c0, r0 c1, r1 c0, r1 c1} and the same of columns 2 and 3, for each pair of rows.
template <int kPairs>
struct QuadSums {
  float32x4_t at[kPairs][2];

  void Clear() {
    for (auto& pair : at) pair[0] = pair[1] = vdupq_n_f32(0);
  }
  // `stride`: floats between two pairs.
  void Load(const float* from, int64_t stride = 8) {
    for (int p = 0; p < kPairs; ++p) {
      at[p][0] = vld1q_f32(from + stride * p);
      at[p][1] = vld1q_f32(from + stride * p + 4);
    }
  }
  void Save(float* to) const {
    for (int p = 0; p < kPairs; ++p) {
      vst1q_f32(to + 8 * p, at[p][0]);
      vst1q_f32(to + 8 * p + 4, at[p][1]);
    }
  }
};

// Pairs of rows whose integer sums are computed side by side: one smmla takes 3 cycles, and several
// can begin in each. Instructions that wait fill the scheduler, so those that do not wait for each
// other stand side by side.
constexpr int kBatch = 4;

template <int kCount>
struct QuadDots {
  int32x4_t at[kCount][2];
};

// Adds 8 elements of pairs [kPair, kPair + kCount).
template <int kPair, int kStep, int kCount, int kAt = 0>
[[gnu::always_inline]] inline void AddStep(const std::byte* x, const QuadStep& w,
                                           QuadDots<kCount>& dots) {
  const int8x16_t pair = LoadBytes<(kPair + kAt) * kPairChunkBytes + 16 * kStep>(x);
  Dot(dots.at[kAt][0], pair, w.at[0]);
  Dot(dots.at[kAt][1], pair, w.at[1]);
  if constexpr (kAt + 1 < kCount) AddStep<kPair, kStep, kCount, kAt + 1>(x, w, dots);
}

template <int kPair, int kStep, int kEnd, int kCount, int kTogether, class Chunk>
[[gnu::always_inline]] inline void AddSteps(const Chunk (&chunks)[kTogether], const std::byte* x,
                                            QuadDots<kCount> (&dots)[kTogether]) {
#pragma GCC unroll 4
  for (int q = 0; q < kTogether; ++q) {
    AddStep<kPair, kStep>(x, chunks[q].template Step<kStep>(), dots[q]);
  }
  if constexpr (kStep + 1 < kEnd) AddSteps<kPair, kStep + 1, kEnd>(chunks, x, dots);
}

// Scales the integer sums of columns 0 and 1 (kI = 0) or 2 and 3, and adds them.
template <int kPair, int kGroup, int kI, int kAt = 0, int kPairs, int kCount, class Chunk>
[[gnu::always_inline]] inline void AddScaled(const Chunk& chunk, const std::byte* x,
                                             const float* x_sums, float32x4_t scale,
                                             const QuadDots<kCount>& dots, QuadSums<kPairs>& sums) {
  // kMagic times the scale is exact: the scale has at most 22 digits. So one fma takes kMagic away
  // and scales the sum.
  float32x4_t total = chunk.template Back<kGroup, kI>();
  Fma(total, vreinterpretq_f32_s32(dots.at[kAt][kI]), scale);
  float32x4_t& sum = sums.at[kPair + kAt][kI];
  Fma(sum, total, LoadFloats<(kPair + kAt) * kPairChunkBytes + 64>(x));
  if constexpr (Chunk::kShape.sets == 2) {
    constexpr int kOffset =
        ((kPair + kAt) * kPairSumFloats + (Chunk::kShape.groups == 1 ? 0 : 4 + 4 * kGroup)) * 4;
    Fma(sum, chunk.template Min<kGroup, kI>(), LoadFloats<kOffset>(x_sums));
  }
  if constexpr (kAt + 1 < kCount) {
    AddScaled<kPair, kGroup, kI, kAt + 1>(chunk, x, x_sums, scale, dots, sums);
  }
}

// The same for a single row: its four columns side by side need half of the operations.
template <int kGroup, class Chunk>
[[gnu::always_inline]] inline void AddScaledRow(const Chunk& chunk, const std::byte* x,
                                                const float* x_sums, const QuadDots<1>& dots,
                                                float32x4_t& sum) {
  const float32x4_t scale = chunk.scales[kGroup][0];
  const int64x2_t a = vreinterpretq_s64_s32(dots.at[0][0]);
  const int64x2_t b = vreinterpretq_s64_s32(dots.at[0][1]);
  float32x4_t total = vmulq_n_f32(scale, -kMagic);
  Fma(total, vreinterpretq_f32_s64(vzip1q_s64(a, b)), scale);
  sum = vfmaq_laneq_f32(sum, total, LoadFloats<64>(x), 0);
  if constexpr (Chunk::kShape.sets == 2) {
    constexpr int kOffset = (Chunk::kShape.groups == 1 ? 0 : 4 + 4 * kGroup) * 4;
    sum = vfmaq_laneq_f32(sum, chunk.scales[kGroup][1], LoadFloats<kOffset>(x_sums), 0);
  }
}

// One group of 32 or 16 elements of a single row and several quads.
template <int kGroup, int kTogether, class Chunk>
[[gnu::always_inline]] inline void AddRowGroup(const Chunk (&chunks)[kTogether], const std::byte* x,
                                               const float* x_sums,
                                               float32x4_t (&sums)[kTogether]) {
  constexpr int kSteps = 4 / Chunk::kShape.groups;
  QuadDots<1> dots[kTogether];
#pragma GCC unroll 4
  for (auto& quad : dots) quad.at[0][0] = quad.at[0][1] = vdupq_n_s32(0x4b400000);
  AddSteps<0, kGroup * kSteps, (kGroup + 1) * kSteps>(chunks, x, dots);
#pragma GCC unroll 4
  for (int q = 0; q < kTogether; ++q) AddScaledRow<kGroup>(chunks[q], x, x_sums, dots[q], sums[q]);
}

// Adds chunks [first, first + chunks) of a single row times those of the quads from `quad` on.
template <int kTogether, class Quads>
[[gnu::always_inline]] inline void AddRowChunks(const PairTile& tile, int64_t first, int64_t chunks,
                                                const Quads& quads, int64_t quad,
                                                float32x4_t (&sums)[kTogether]) {
  using Chunk = decltype(quads.At(0, 0));
  const std::byte* x = tile.chunks + first * tile.stride * kPairChunkBytes;
  const float* x_sums = tile.sums + first * tile.stride * kPairSumFloats;
  for (int64_t c = 0; c < chunks; ++c) {
    Chunk at[kTogether];
#pragma GCC unroll 4
    for (int q = 0; q < kTogether; ++q) at[q] = quads.At(quad + q, c);
    AddRowGroup<0>(at, x, x_sums, sums);
    if constexpr (Quads::kShape.groups == 2) AddRowGroup<1>(at, x, x_sums, sums);
    x += tile.stride * kPairChunkBytes;
    x_sums += tile.stride * kPairSumFloats;
  }
}

// One group of 32 or 16 elements of pairs [kPair, kPairs).
template <int kPair, int kGroup, int kPairs, int kTogether, class Chunk>
[[gnu::always_inline]] inline void AddGroup(const Chunk (&chunks)[kTogether], const std::byte* x,
                                            const float* x_sums,
                                            QuadSums<kPairs> (&sums)[kTogether]) {
  constexpr int kCount = kPairs - kPair < kBatch ? kPairs - kPair : kBatch;
  constexpr int kSteps = 4 / Chunk::kShape.groups;
  QuadDots<kCount> dots[kTogether];
#pragma GCC unroll 4
  for (auto& quad : dots) {
    // The bits of kMagic.
    for (auto& pair : quad.at) pair[0] = pair[1] = vdupq_n_s32(0x4b400000);
  }
  AddSteps<kPair, kGroup * kSteps, (kGroup + 1) * kSteps>(chunks, x, dots);
#pragma GCC unroll 4
  for (int q = 0; q < kTogether; ++q) {
    const float32x4_t scale_0 = chunks[q].template Scale<kGroup, 0>();
    AddScaled<kPair, kGroup, 0>(chunks[q], x, x_sums, scale_0, dots[q], sums[q]);
    const float32x4_t scale_1 = chunks[q].template Scale<kGroup, 1>();
    AddScaled<kPair, kGroup, 1>(chunks[q], x, x_sums, scale_1, dots[q], sums[q]);
  }
  if constexpr (kPair + kCount < kPairs) {
    AddGroup<kPair + kCount, kGroup>(chunks, x, x_sums, sums);
  }
}

// Adds chunks [first, first + chunks) of the rows times those of the quads from `quad` on.
template <int kPairs, int kTogether, class Quads>
[[gnu::always_inline]] inline void AddChunks(const PairTile& tile, int64_t first, int64_t chunks,
                                             const Quads& quads, int64_t quad,
                                             QuadSums<kPairs> (&sums)[kTogether]) {
  using Chunk = decltype(quads.At(0, 0));
  const std::byte* x = tile.chunks + first * tile.stride * kPairChunkBytes;
  const float* x_sums = tile.sums + first * tile.stride * kPairSumFloats;
  for (int64_t c = 0; c < chunks; ++c) {
    Chunk at[kTogether];
#pragma GCC unroll 4
    for (int q = 0; q < kTogether; ++q) at[q] = quads.At(quad + q, c);
    AddGroup<0, 0>(at, x, x_sums, sums);
    if constexpr (Quads::kShape.groups == 2) AddGroup<0, 1>(at, x, x_sums, sums);
    x += tile.stride * kPairChunkBytes;
    x_sums += tile.stride * kPairSumFloats;
  }
}

// Where results go; the last columns and rows may be missing.
struct QuadOut {
  float* at;
  int64_t stride;
  int64_t rows;
  int64_t columns;

  [[gnu::always_inline]] inline QuadOut From(int64_t column) const {
    return {at + column, stride, rows, columns - column};
  }
};

inline void StoreRow(float32x4_t row, int64_t columns, float* to) {
  float lanes[4];
  vst1q_f32(lanes, row);
  for (int64_t i = 0; i < columns; ++i) to[i] = lanes[i];
}

template <int kPairs>
inline void StoreQuad(const QuadSums<kPairs>& sums, const QuadOut& out) {
  const bool whole = out.columns >= 4 && out.rows >= 2 * kPairs;
#pragma GCC unroll 8
  for (int p = 0; p < kPairs; ++p) {
    const float64x2_t a = vreinterpretq_f64_f32(sums.at[p][0]);
    const float64x2_t b = vreinterpretq_f64_f32(sums.at[p][1]);
    const float32x4_t rows[2] = {vreinterpretq_f32_f64(vzip1q_f64(a, b)),
                                 vreinterpretq_f32_f64(vzip2q_f64(a, b))};
    float* to = out.at + 2 * p * out.stride;
    if (whole) {
      vst1q_f32(to, rows[0]);
      vst1q_f32(to + out.stride, rows[1]);
      continue;
    }
    StoreRow(rows[0], Smaller(out.columns, 4), to);
    if (2 * p + 1 < out.rows) StoreRow(rows[1], Smaller(out.columns, 4), to + out.stride);
  }
}

}  // namespace
}  // namespace infer::simd::i8mm
