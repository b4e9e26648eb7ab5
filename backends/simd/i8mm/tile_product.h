// SPDX-License-Identifier: Apache-2.0
//
// Products of many tokens (form kBf16Tiles) with 16-bit weights: panels of 16 columns, groups of 6
// tokens.
#pragma once

#include <stdint.h>

#include "backends/simd/i8mm/bf16_tile.h"
#include "backends/simd/i8mm/float_activations.h"
#include "backends/simd/i8mm/weight_panel.h"
#include "backends/simd/isa/linear_kernel.h"

namespace infer::simd::i8mm {
namespace {

// Inner elements per pass: a panel takes 32 KiB, half of L1.
constexpr int64_t kPassInner = 1024;

// A pair of columns is contiguous, so that packing writes whole lines (8.7 instead of 10.1 cycles
// for 64 bytes of cold weights), and starts one line away from where 8 pairs would share the ways
// of L1.
constexpr int64_t kPairElements = kPassInner * 2 + 32;

inline uint64_t TileScratchBytes(int64_t, int64_t) { return kPairElements * kColumnPairs * 2; }

// Stores up to 4 results of a row, added to the values in `add`.
inline void StoreColumns(float32x4_t v, int64_t count, const float* add, float* out) {
  if (count >= 4) {
    vst1q_f32(out, add != nullptr ? vaddq_f32(vld1q_f32(add), v) : v);
    return;
  }
  float part[4];
  vst1q_f32(part, v);
  for (int64_t i = 0; i < count; ++i) out[i] = add != nullptr ? add[i] + part[i] : part[i];
}

template <int kPairs>
inline void StoreTile(const float32x4_t (&sums)[kPairs][kColumnPairs], const LinearCall& call,
                      float unit, int64_t token, int64_t column, int64_t columns,
                      const float* add) {
#pragma GCC unroll 3
  for (int r = 0; r < kPairs; ++r) {
    const int64_t first = token + 2 * r;
    const bool two = first + 1 < call.tokens;
    const float scale0 = RowScales(call)[first] * unit;
    const float scale1 = two ? RowScales(call)[first + 1] * unit : 0.0f;
    const int64_t at = first * call.out_stride + column;
#pragma GCC unroll 4
    for (int j = 0; j < kColumnPairs; j += 2) {
      const int64_t left = columns - 2 * j;
      if (left <= 0) break;
      float32x4_t v0, v1;
      SplitRows(sums[r][j], sums[r][j + 1], &v0, &v1);
      const int64_t to = at + 2 * j;
      StoreColumns(vmulq_n_f32(v0, scale0), left, add ? add + to : nullptr, call.out + to);
      if (!two) continue;
      const int64_t to1 = to + call.out_stride;
      StoreColumns(vmulq_n_f32(v1, scale1), left, add ? add + to1 : nullptr, call.out + to1);
    }
  }
}

// Multiplies one group of tokens with a panel of elements [begin, begin + 4 * steps).
template <int kPairs>
inline void MultiplyGroup(const LinearCall& call, float unit, int64_t group, const uint16_t* panel,
                          int64_t begin, int64_t steps, int64_t column, int64_t columns) {
  float32x4_t sums[kPairs][kColumnPairs];
#pragma GCC unroll 3
  for (int r = 0; r < kPairs; ++r) {
#pragma GCC unroll 8
    for (int j = 0; j < kColumnPairs; ++j) sums[r][j] = vdupq_n_f32(0);
  }
  MultiplyTile(sums, TileGroup(call, group) + begin * kPairs * 2, panel, steps,
               {.step = 8, .pair = kPairElements});
  const float* add = begin == 0 ? nullptr : call.out;
  StoreTile<kPairs>(sums, call, unit, group * kTileRows, column, columns, add);
}

template <class Weights>
inline void TileProduct(const LinearCall& call, int64_t begin_column, int64_t end_column) {
  const auto* weight = reinterpret_cast<const uint16_t*>(call.weight);
  auto* panel = reinterpret_cast<uint16_t*>(call.scratch);
  const int64_t groups = Groups(call.tokens);
  for (int64_t begin = 0; begin < call.inner; begin += kPassInner) {
    const int64_t end = begin + kPassInner < call.inner ? begin + kPassInner : call.inner;
    const int64_t steps = (end - begin + 7) / 8 * 2;
    for (int64_t column = begin_column; column < end_column; column += kTileColumns) {
      PackPanel<Weights>(weight, call.inner, column, call.outputs, begin, end, kPairElements,
                         panel);
      const int64_t left = end_column - column;
      const int64_t columns = left < kTileColumns ? left : kTileColumns;
      for (int64_t g = 0; g < groups; ++g) {
        const int64_t pairs = PairsInGroup(call.tokens, g);
        const auto multiply = pairs == 3   ? MultiplyGroup<3>
                              : pairs == 2 ? MultiplyGroup<2>
                                           : MultiplyGroup<1>;
        multiply(call, Weights::kScale, g, panel, begin, steps, column, columns);
      }
    }
  }
}

}  // namespace
}  // namespace infer::simd::i8mm
