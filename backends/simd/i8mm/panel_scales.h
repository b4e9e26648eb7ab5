// SPDX-License-Identifier: Apache-2.0
//
// Scales of a panel's blocks in the form that the tile wants.
#pragma once

#include <arm_neon.h>

#include "backends/simd/i8mm/int8_tile.h"

namespace infer::simd::i8mm {
namespace {

// {c0, c1, c0, c1} for each column pair of 8 columns.
inline void StoreColumnPairs(const float32x4_t (&v)[2], float* out) {
  for (int half = 0; half < 2; ++half) {
    const float64x2_t pairs = vreinterpretq_f64_f32(v[half]);
    vst1q_f32(out + 8 * half, vreinterpretq_f32_f64(vdupq_laneq_f64(pairs, 0)));
    vst1q_f32(out + 8 * half + 4, vreinterpretq_f32_f64(vdupq_laneq_f64(pairs, 1)));
  }
}

// From scales [blocks][8] to deltas and corrections.
template <int kElements>
inline void ChainScales(const float* scales, int64_t blocks, float* deltas, float* corrections) {
  constexpr int64_t group_blocks = kGroup / kElements;
  for (int64_t b = 0; b < blocks; corrections += 16) {
    const int64_t end = Smaller(b + group_blocks, blocks);
    float32x4_t total[2] = {};
    for (; b < end; ++b, deltas += 16) {
      float32x4_t delta[2];
      for (int half = 0; half < 2; ++half) {
        const float* scale = scales + b * kPanelColumns + 4 * half;
        delta[half] = vld1q_f32(scale);
        if (b + 1 < end) delta[half] = vsubq_f32(delta[half], vld1q_f32(scale + kPanelColumns));
        // The sum of the rounded differences, not the first scale: what the tile adds up to.
        total[half] = vaddq_f32(total[half], delta[half]);
      }
      StoreColumnPairs(delta, deltas);
    }
    for (int half = 0; half < 2; ++half) total[half] = vmulq_n_f32(total[half], -kMagic);
    StoreColumnPairs(total, corrections);
  }
}

}  // namespace
}  // namespace infer::simd::i8mm
