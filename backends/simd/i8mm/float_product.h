// SPDX-License-Identifier: Apache-2.0
//
// Products of f32 rows with f32 rows: tiles of 4 by 4 dot products, 16 chains of fused
// multiply-adds and 8 loads per step, so that neither side has to be packed.
#pragma once

#include <arm_neon.h>
#include <stdint.h>

namespace infer::simd::i8mm {
namespace {

// sums[i][j] += x[i] . y[j] over `inner` elements.
template <int kRows, int kColumns>
inline void DotTile(const float* x, int64_t x_stride, const float* y, int64_t y_stride,
                    int64_t inner, float (&results)[kRows][kColumns]) {
  float32x4_t sums[kRows][kColumns];
#pragma GCC unroll 4
  for (int i = 0; i < kRows; ++i) {
#pragma GCC unroll 4
    for (int j = 0; j < kColumns; ++j) sums[i][j] = vdupq_n_f32(0);
  }
  int64_t k = 0;
  for (; k + 4 <= inner; k += 4) {
    float32x4_t b[kColumns];
#pragma GCC unroll 4
    for (int j = 0; j < kColumns; ++j) b[j] = vld1q_f32(y + j * y_stride + k);
#pragma GCC unroll 4
    for (int i = 0; i < kRows; ++i) {
      const float32x4_t a = vld1q_f32(x + i * x_stride + k);
#pragma GCC unroll 4
      for (int j = 0; j < kColumns; ++j) sums[i][j] = vfmaq_f32(sums[i][j], a, b[j]);
    }
  }
#pragma GCC unroll 4
  for (int i = 0; i < kRows; ++i) {
#pragma GCC unroll 4
    for (int j = 0; j < kColumns; ++j) results[i][j] = vaddvq_f32(sums[i][j]);
  }
  for (; k < inner; ++k) {
    for (int i = 0; i < kRows; ++i) {
      for (int j = 0; j < kColumns; ++j) results[i][j] += x[i * x_stride + k] * y[j * y_stride + k];
    }
  }
}

// The product of one row with one row: 8 chains.
inline float Dot(const float* x, const float* y, int64_t inner) {
  float32x4_t sums[8];
  for (float32x4_t& sum : sums) sum = vdupq_n_f32(0);
  int64_t k = 0;
  for (; k + 32 <= inner; k += 32) {
#pragma GCC unroll 8
    for (int j = 0; j < 8; ++j) {
      sums[j] = vfmaq_f32(sums[j], vld1q_f32(x + k + 4 * j), vld1q_f32(y + k + 4 * j));
    }
  }
  for (; k + 4 <= inner; k += 4) sums[0] = vfmaq_f32(sums[0], vld1q_f32(x + k), vld1q_f32(y + k));
  for (int half = 4; half > 0; half /= 2) {
    for (int j = 0; j < half; ++j) sums[j] = vaddq_f32(sums[j], sums[j + half]);
  }
  float result = vaddvq_f32(sums[0]);
  for (; k < inner; ++k) result += x[k] * y[k];
  return result;
}

}  // namespace
}  // namespace infer::simd::i8mm
