// SPDX-License-Identifier: Apache-2.0
//
// A power of two for a row of activations that moves its largest magnitude to a chosen exponent, so
// that a narrower type neither overflows nor loses more precision than necessary.
#pragma once

#include <arm_neon.h>
#include <stdint.h>

namespace infer::simd::i8mm {
namespace {

inline float PowerOfTwo(int exponent) {  // -126 to 127
  const uint32_t bits = static_cast<uint32_t>(exponent + 127) << 23;
  return vgetq_lane_f32(vreinterpretq_f32_u32(vdupq_n_u32(bits)), 0);
}

// Returns the exponent e of the largest finite magnitude, 2^e <= |x| < 2^(e+1); -127 for zeros and
// subnormals.
inline int LargestExponent(const float* x, int64_t n) {
  // The bits of a float without the sign sort as integers; infinity and NaN have exponent 255.
  const uint32x4_t exponent_bits = vdupq_n_u32(0x7f800000u);
  uint32x4_t largest = vdupq_n_u32(0);
  int64_t i = 0;
  for (; i + 4 <= n; i += 4) {
    const uint32x4_t e = vandq_u32(vreinterpretq_u32_f32(vld1q_f32(x + i)), exponent_bits);
    largest = vmaxq_u32(largest, vbicq_u32(e, vceqq_u32(e, exponent_bits)));
  }
  uint32_t most = vmaxvq_u32(largest);
  for (; i < n; ++i) {
    const uint32_t e = vgetq_lane_u32(vreinterpretq_u32_f32(vdupq_n_f32(x[i])), 0) & 0x7f800000u;
    if (e != 0x7f800000u && e > most) most = e;
  }
  return static_cast<int>(most >> 23) - 127;
}

inline int Clamp(int v, int low, int high) { return v < low ? low : v > high ? high : v; }

}  // namespace
}  // namespace infer::simd::i8mm
