// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <arm_neon.h>

namespace infer::simd::i8mm {
namespace {

constexpr float kLog2E = 1.44269504f;
// 1.5 * 2^23: adding a number to it rounds the number to an integer, which is in the low bits.
constexpr float kRoundingMagic = 12582912.0f;

// Returns 2^x for x <= 127, with a relative error below 3e-7. Below -126 it returns 2^-126, which
// is negligible in a sum of exponentials; NaN gives NaN. The polynomial interpolates 2^f at the
// Chebyshev nodes of [-1/2, 1/2].
inline float32x4_t Exp2(float32x4_t x) {
  const float32x4_t bounded = vmaxq_f32(x, vdupq_n_f32(-126.0f));
  const float32x4_t magic = vdupq_n_f32(kRoundingMagic);
  const float32x4_t whole = vaddq_f32(bounded, magic);
  const float32x4_t f = vsubq_f32(bounded, vsubq_f32(whole, magic));
  float32x4_t p = vfmaq_n_f32(vdupq_n_f32(9.67603192e-3f), f, 1.33908634e-3f);
  p = vfmaq_f32(vdupq_n_f32(5.55035711e-2f), p, f);
  p = vfmaq_f32(vdupq_n_f32(2.40221075e-1f), p, f);
  p = vfmaq_f32(vdupq_n_f32(6.93147188e-1f), p, f);
  p = vfmaq_f32(vdupq_n_f32(1.0f), p, f);
  const int32x4_t exponent = vshlq_n_s32(vreinterpretq_s32_f32(whole), 23);
  const float32x4_t result = vreinterpretq_f32_s32(vaddq_s32(vreinterpretq_s32_f32(p), exponent));
  return vbslq_f32(vceqq_f32(x, x), result, x);
}

inline float Exp2(float x) { return vgetq_lane_f32(Exp2(vdupq_n_f32(x)), 0); }

}  // namespace
}  // namespace infer::simd::i8mm
