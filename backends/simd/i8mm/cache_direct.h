// SPDX-License-Identifier: Apache-2.0
//
// Products of up to 6 rows with f16 positions as they lie in the cache: the sums of the packed
// positions (cache_panels.h) with the same bits. One token at position 4,000 of a 0.6B model takes
// 36 ms with two threads, and 42 with packing.
#pragma once

#include <arm_neon.h>
#include <stdint.h>
#include <string.h>

#include "backends/simd/i8mm/bf16_tile.h"
#include "backends/simd/i8mm/cache_panels.h"
#include "backends/simd/i8mm/tile_softmax.h"

namespace infer::simd::i8mm {
namespace {

inline const uint16_t* Halves(const std::byte* vector) {
  return reinterpret_cast<const uint16_t*>(vector);
}

// Adds 8 positions to column pairs [first, first + 4) of kPairs pairs of rows. `q` has all pairs of
// a tile.
template <int kPairs, class Conversion>
inline void AddKeys(const std::byte* const* k, int64_t head_dim, const uint16_t* q, int first,
                    TileSums& sums, Conversion& to) {
  float32x4_t sum[kPairs][4];
  for (int r = 0; r < kPairs; ++r) {
    for (int j = 0; j < 4; ++j) sum[r][j] = sums[r][first + j];
  }
  for (int64_t d = 0; d < head_dim; d += 8, q += 2 * kTilePairs * 8) {
    // Positions are contiguous: two lines of what follows for two lines of these.
    __builtin_prefetch(Halves(k[0]) + 8 * d + kAheadKeys, 0, 1);
    __builtin_prefetch(Halves(k[0]) + 8 * d + kAheadKeys + 32, 0, 1);
    const auto add = [&]<int kJ>() {
      uint16x8_t steps[2];
      InterleaveRows(to.template Convert<2 * kJ % 4>(vld1q_u16(Halves(k[2 * kJ]) + d)),
                     to.template Convert<2 * kJ % 4 + 1>(vld1q_u16(Halves(k[2 * kJ + 1]) + d)),
                     &steps[0], &steps[1]);
      for (int s = 0; s < 2; ++s) {
        for (int r = 0; r < kPairs; ++r) {
          sum[r][kJ] = vbfmmlaq_f32(sum[r][kJ], LoadBf16(q + (s * kTilePairs + r) * 8),
                                    vreinterpretq_bf16_u16(steps[s]));
        }
      }
    };
    add.template operator()<0>();
    add.template operator()<1>();
    add.template operator()<2>();
    add.template operator()<3>();
  }
  for (int r = 0; r < kPairs; ++r) {
    for (int j = 0; j < 4; ++j) sums[r][first + j] = sum[r][j];
  }
}

// The scores of 16 positions.
template <int kPairs>
inline void MultiplyKeys(const std::byte* const* k, int64_t head_dim, const uint16_t* q,
                         TileSums& sums) {
  TileSums before;
  memcpy(before, sums, sizeof before);
  FastConversion fast;
  AddKeys<kPairs>(k, head_dim, q, 0, sums, fast);
  AddKeys<kPairs>(k + 8, head_dim, q, 4, sums, fast);
  if (!fast.failed()) [[likely]]
    return;
  memcpy(sums, before, sizeof before);
  ExactConversion exact;
  AddKeys<kPairs>(k, head_dim, q, 0, sums, exact);
  AddKeys<kPairs>(k + 8, head_dim, q, 4, sums, exact);
}

// Adds 4 positions to 8 columns, from column pair kFirst of a panel on.
template <int kPairs, int kFirst, class Conversion>
inline void AddFourValues(const std::byte* const* v, int64_t d, const uint16_t* weights,
                          float32x4_t (&sum)[kPairs][kColumnPairs], Conversion& to) {
  const uint16_t* const four[4] = {Halves(v[0]), Halves(v[1]), Halves(v[2]), Halves(v[3])};
  uint16_t operands[32];
  PackFourValues(four, d, operands, to);
  for (int j = 0; j < 4; ++j) {
    for (int r = 0; r < kPairs; ++r) {
      sum[r][kFirst + j] =
          vbfmmlaq_f32(sum[r][kFirst + j], LoadBf16(weights + 8 * r), LoadBf16(operands + 8 * j));
    }
  }
}

// Adds the values of `steps` steps of positions to a panel of 16 elements from d on; returns
// whether all numbers could be converted, and changes nothing if not.
template <int kPairs, class Conversion>
inline bool AddPanel(const std::byte* const* v, int64_t d, int64_t head_dim,
                     const uint16_t* weights, int64_t steps, float* out, Conversion& to) {
  float32x4_t sum[kPairs][kColumnPairs];
  for (int i = 0; i < kPairs * kColumnPairs; ++i) {
    sum[i / kColumnPairs][i % kColumnPairs] = vld1q_f32(out + i * 4);
  }
  const bool whole = d + 8 < head_dim;
  for (int64_t s = 0; s < steps; ++s, v += kStep, weights += kTilePairs * 8) {
    AddFourValues<kPairs, 0>(v, d, weights, sum, to);
    if (whole) AddFourValues<kPairs, 4>(v, d + 8, weights, sum, to);
  }
  if constexpr (requires { to.failed(); }) {
    if (to.failed()) return false;
  }
  for (int i = 0; i < kPairs * kColumnPairs; ++i) {
    vst1q_f32(out + i * 4, sum[i / kColumnPairs][i % kColumnPairs]);
  }
  return true;
}

// `out`: [panels][kTilePairs][kColumnPairs] sums.
template <int kPairs>
inline void MultiplyValues(const std::byte* const* v, int64_t head_dim, const uint16_t* weights,
                           int64_t steps, float* out) {
  for (int64_t d = 0; d < head_dim; d += kTileColumns, out += kTileRows * kTileColumns) {
    FastConversion fast;
    if (AddPanel<kPairs>(v, d, head_dim, weights, steps, out, fast)) continue;
    ExactConversion exact;
    AddPanel<kPairs>(v, d, head_dim, weights, steps, out, exact);
  }
}

}  // namespace
}  // namespace infer::simd::i8mm
