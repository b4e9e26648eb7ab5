// SPDX-License-Identifier: Apache-2.0
//
// The bf16 matrix tile: up to 6 rows by 16 columns. bfmmla needs about 20 independent sums for its
// full rate on Neoverse V1 (16 reach 3.2 per cycle, 24 reach 3.5 to 3.8), and 24 leave room for the
// operands.
//
// Operands are laid out in steps of 4 along the inner dimension:
//   rows     [step][pair of rows][2 rows][4]
//   columns  [step][8 pairs of columns][2 columns][4]
// and a sum is {row 0 column 0, row 0 column 1, row 1 column 0, row 1 column 1}.
#pragma once

#include <arm_neon.h>
#include <stdint.h>

namespace infer::simd::i8mm {
namespace {

constexpr int kTileRows = 6;
constexpr int kTilePairs = kTileRows / 2;
constexpr int kTileColumns = 16;
constexpr int kColumnPairs = kTileColumns / 2;
constexpr int kStep = 4;  // inner elements of one bfmmla

inline bfloat16x8_t LoadBf16(const uint16_t* p) { return vreinterpretq_bf16_u16(vld1q_u16(p)); }

inline uint16x8_t RoundToBf16(float32x4_t low, float32x4_t high) {
  return vreinterpretq_u16_bf16(vcvtq_high_bf16_f32(vcvtq_low_bf16_f32(low), high));
}

inline float32x4_t WidenBf16(uint16x4_t v) { return vreinterpretq_f32_u32(vshll_n_u16(v, 16)); }

// Interleaves two rows of 8 elements into two operands.
inline void InterleaveRows(uint16x8_t x, uint16x8_t y, uint16x8_t* first, uint16x8_t* second) {
  *first = vreinterpretq_u16_u64(vzip1q_u64(vreinterpretq_u64_u16(x), vreinterpretq_u64_u16(y)));
  *second = vreinterpretq_u16_u64(vzip2q_u64(vreinterpretq_u64_u16(x), vreinterpretq_u64_u16(y)));
}

// Splits two adjacent sums into 4 columns of the first and of the second row.
inline void SplitRows(float32x4_t a, float32x4_t b, float32x4_t* first, float32x4_t* second) {
  *first = vreinterpretq_f32_f64(vzip1q_f64(vreinterpretq_f64_f32(a), vreinterpretq_f64_f32(b)));
  *second = vreinterpretq_f32_f64(vzip2q_f64(vreinterpretq_f64_f32(a), vreinterpretq_f64_f32(b)));
}

// Columns are prefetched `ahead` elements ahead, to L3; 0: not at all.
template <int kPairs>
inline void MultiplyTile(float32x4_t (&sums)[kPairs][kColumnPairs], const uint16_t* rows,
                         const uint16_t* columns, int64_t steps, int64_t ahead = 0) {
  for (int64_t s = 0; s < steps; ++s, rows += kPairs * 8, columns += kColumnPairs * 8) {
    bfloat16x8_t x[kPairs];
    if (ahead > 0) {
      __builtin_prefetch(columns + ahead, 0, 1);
      __builtin_prefetch(columns + ahead + 32, 0, 1);
    }
#pragma GCC unroll 3
    for (int r = 0; r < kPairs; ++r) x[r] = LoadBf16(rows + r * 8);
#pragma GCC unroll 8
    for (int j = 0; j < kColumnPairs; ++j) {
      bfloat16x8_t y = LoadBf16(columns + j * 8);
#ifndef __clang__
      asm volatile("" : "+w"(y));  // otherwise g++ 12 copies every sum, halving the speed
#endif
#pragma GCC unroll 3
      for (int r = 0; r < kPairs; ++r) sums[r][j] = vbfmmlaq_f32(sums[r][j], x[r], y);
    }
  }
}

}  // namespace
}  // namespace infer::simd::i8mm
