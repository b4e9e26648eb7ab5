// SPDX-License-Identifier: Apache-2.0
//
// Sums of activations over parts of 16 elements, for weight types with an offset per 16. The tiles
// carry only sums of 32: a single rare type does not justify more bytes in all of them.
#pragma once

#include <arm_neon.h>

#include "backends/simd/i8mm/activations_int8.h"

namespace infer::simd::i8mm {
namespace {

constexpr int64_t PartSumBytes(int64_t pairs, int64_t inner) {
  return CeilDiv(inner, 64) * pairs * 16;
}

// Returns the sums {row 0, row 1} of 16 elements of a pair.
inline int32x2_t SumPart(const int8_t* quants, int64_t pairs) {
  const int16x8_t sums = vpadalq_s8(vpaddlq_s8(vld1q_s8(quants)), vld1q_s8(quants + pairs * 16));
  const int32x4_t quarters = vpaddlq_s16(sums);
  return vpadd_s32(vget_low_s32(quarters), vget_high_s32(quarters));
}

// Writes bf16 [quads of parts][pairs][2 rows][4 parts], in units of the activations. inner is a
// multiple of 256.
inline void SumParts(const Int8Tile& tile, int64_t inner, uint16_t* out) {
  for (int64_t pair = 0; pair < tile.pairs; ++pair) {
    float32x4_t scale = vld1q_f32(tile.last_scales + pair * kPairFloats);
    for (int64_t group = Groups(inner) - 1; group >= 0; --group) {
      for (int64_t part = group * 8; part < group * 8 + 8; ++part) {
        const int32x2_t sums =
            SumPart(tile.quants + (part * 2 * tile.pairs + pair) * 16, tile.pairs);
        const float32x2_t rows =
            vmul_f32(vcvt_f32_s32(sums), vuzp1_f32(vget_low_f32(scale), vget_high_f32(scale)));
        const uint16x4_t rounded = vreinterpret_u16_bf16(vcvt_bf16_f32(vcombine_f32(rows, rows)));
        uint16_t* place = out + (part / 4 * tile.pairs + pair) * 8 + part % 4;
        place[0] = vget_lane_u16(rounded, 0);
        place[4] = vget_lane_u16(rounded, 1);
      }
      scale = vmulq_f32(scale, vld1q_f32(tile.ratios + (group * tile.pairs + pair) * kPairFloats));
    }
  }
}

}  // namespace
}  // namespace infer::simd::i8mm
