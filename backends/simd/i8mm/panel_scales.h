// SPDX-License-Identifier: Apache-2.0
//
// Converts the scales of a panel's blocks to the form that the tile reads.
#pragma once

#include <arm_neon.h>

#include "backends/simd/i8mm/int8_tile.h"

namespace infer::simd::i8mm {
namespace {

// Stores {c0, c1, c0, c1} for each column pair of 8 columns.
inline void StoreColumnPairs(const float32x4_t (&v)[2], float* out) {
  for (int half = 0; half < 2; ++half) {
    const float64x2_t pairs = vreinterpretq_f64_f32(v[half]);
    vst1q_f32(out + 8 * half, vreinterpretq_f32_f64(vdupq_laneq_f64(pairs, 0)));
    vst1q_f32(out + 8 * half + 4, vreinterpretq_f32_f64(vdupq_laneq_f64(pairs, 1)));
  }
}

// Converts scales [blocks][8] to deltas and corrections.
template <int kElements>
inline void ChainScales(const float* scales, int64_t blocks, float* deltas, float* corrections) {
  constexpr int64_t group_blocks = kGroup / kElements;
  for (int64_t b = 0; b < blocks; corrections += 16) {
    const int64_t end = Smaller(b + group_blocks, blocks);
    const float* first = scales + b * kPanelColumns;
    const float32x4_t correction[2] = {vmulq_n_f32(vld1q_f32(first), -kMagic),
                                       vmulq_n_f32(vld1q_f32(first + 4), -kMagic)};
    StoreColumnPairs(correction, corrections);
    float32x4_t scale[2] = {vld1q_f32(first), vld1q_f32(first + 4)};
    for (; b < end; ++b, deltas += 16) {
      float32x4_t following[2] = {};
      if (b + 1 < end) {
        following[0] = vld1q_f32(scales + (b + 1) * kPanelColumns);
        following[1] = vld1q_f32(scales + (b + 1) * kPanelColumns + 4);
      }
      const float32x4_t delta[2] = {vsubq_f32(scale[0], following[0]),
                                    vsubq_f32(scale[1], following[1])};
      StoreColumnPairs(delta, deltas);
      scale[0] = following[0];
      scale[1] = following[1];
    }
  }
}

}  // namespace
}  // namespace infer::simd::i8mm
