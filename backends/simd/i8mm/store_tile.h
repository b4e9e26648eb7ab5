// SPDX-License-Identifier: Apache-2.0
//
// Stores the sums of a tile in the result.
#pragma once

#include <arm_neon.h>

#include "backends/simd/i8mm/int8_tile.h"

namespace infer::simd::i8mm {
namespace {

// The destination of a tile's results: the element at its first row and the panel's first column.
struct TileOut {
  float* out;
  int64_t stride;
  int64_t rows;
  int64_t columns;  // 1 to 8
};

inline void StoreColumns(float32x4_t v, float* out, int64_t columns) {
  if (columns >= 4) {
    vst1q_f32(out, v);
    return;
  }
  float values[4];
  vst1q_f32(values, v);
  for (int64_t i = 0; i < columns; ++i) out[i] = values[i];
}

// Stores row `row` of the tile; low and high are its columns 0 to 3 and 4 to 7.
inline void StoreRow(float32x4_t low, float32x4_t high, const TileOut& to, int64_t row) {
  if (row >= to.rows) return;
  float* out = to.out + row * to.stride;
  StoreColumns(low, out, to.columns);
  if (to.columns > 4) StoreColumns(high, out + 4, to.columns - 4);
}

inline float32x4_t FirstRow(float32x4_t a, float32x4_t b) {
  return vreinterpretq_f32_f64(vzip1q_f64(vreinterpretq_f64_f32(a), vreinterpretq_f64_f32(b)));
}

inline float32x4_t SecondRow(float32x4_t a, float32x4_t b) {
  return vreinterpretq_f32_f64(vzip2q_f64(vreinterpretq_f64_f32(a), vreinterpretq_f64_f32(b)));
}

template <int kPairs>
inline void StoreTile(const TileSums<kPairs>& sums, const TileOut& to) {
  for (int r = 0; r < kPairs; ++r) {
    const float32x4_t* s = sums.at[r];
    StoreRow(FirstRow(s[0], s[1]), FirstRow(s[2], s[3]), to, 2 * r);
    StoreRow(SecondRow(s[0], s[1]), SecondRow(s[2], s[3]), to, 2 * r + 1);
  }
}

}  // namespace
}  // namespace infer::simd::i8mm
