// SPDX-License-Identifier: Apache-2.0
//
// Converts f16 to bf16 without fcvtl, which issues once per cycle on Neoverse V1: exponent and
// mantissa are shifted into place, and the difference of the exponent biases stays in the numbers
// as a factor of 2^-112. Numbers are multiplied by 2^10 first, so that f16 subnormals become
// normal: bfmmla reads subnormal bf16 as zero. Numbers that cannot be converted this way (infinity,
// NaN, magnitudes from 64 on) poison a check and are converted again through f32.
#pragma once

#include <arm_neon.h>
#include <stdint.h>

#include "backends/simd/i8mm/bf16_tile.h"

namespace infer::simd::i8mm {
namespace {

// The factor in converted numbers; products are divided by it.
constexpr float kHalfUnit = 0x1p-102f;
constexpr float kPerHalfUnit = 0x1p102f;

// Rounds half away from zero. If `poison` becomes NaN, the result must not be used.
inline uint16x8_t ShiftToBf16(float16x8_t half, float16x8_t* poison) {
  const float16x8_t normal = vmulq_f16(half, vreinterpretq_f16_u16(vdupq_n_u16(0x6400)));  // 1024
  *poison = vfmaq_f16(*poison, normal, vreinterpretq_f16_u16(vdupq_n_u16(0)));
  const int16x8_t shifted = vrshrq_n_s16(vreinterpretq_s16_f16(normal), 3);
  return vandq_u16(vreinterpretq_u16_s16(shifted), vdupq_n_u16(0x8fff));  // clear sign copies
}

inline bool Poisoned(float16x8_t poison) {
  return vmaxvq_u16(vandq_u16(vreinterpretq_u16_f16(poison), vdupq_n_u16(0x7fff))) != 0;
}

// Rounds as ShiftToBf16, so that a number has the same bits whichever way its neighbours took. A
// NaN keeps the upper half of its bits, one of which the multiplication before has set.
inline uint16x4_t RoundAwayToBf16(float32x4_t v) {
  const uint32x4_t bits = vreinterpretq_u32_f32(v);
  const uint32x4_t rounded = vaddq_u32(bits, vdupq_n_u32(0x8000));
  return vshrn_n_u32(vbslq_u32(vceqq_f32(v, v), rounded, bits), 16);
}

// The same for any f16, through f32.
inline uint16x8_t WidenToBf16(float16x8_t half) {
  return vcombine_u16(RoundAwayToBf16(vmulq_n_f32(vcvt_f32_f16(vget_low_f16(half)), kHalfUnit)),
                      RoundAwayToBf16(vmulq_n_f32(vcvt_high_f32_f16(half), kHalfUnit)));
}

}  // namespace
}  // namespace infer::simd::i8mm
