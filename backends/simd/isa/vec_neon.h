// SPDX-License-Identifier: Apache-2.0
//
// vec.h for Advanced SIMD: 4 floats.
#pragma once

#include <arm_neon.h>

#include <cstdint>

namespace infer::simd::INFER_SIMD_LEVEL {

using Floats = float32x4_t;
using Ints = int32x4_t;
constexpr int kLanes = 4;

static inline Floats Broadcast(float x) { return vdupq_n_f32(x); }
static inline Floats Load(const float* p) { return vld1q_f32(p); }
static inline void Store(float* p, Floats v) { vst1q_f32(p, v); }
// Loads the first n < kLanes elements; the other lanes are zero.
static inline Floats LoadPart(const float* p, int64_t n) {
  float lanes[kLanes] = {};
  for (int64_t i = 0; i < n; ++i) lanes[i] = p[i];
  return vld1q_f32(lanes);
}
static inline void StorePart(float* p, Floats v, int64_t n) {
  float lanes[kLanes];
  vst1q_f32(lanes, v);
  for (int64_t i = 0; i < n; ++i) p[i] = lanes[i];
}

static inline Floats Add(Floats a, Floats b) { return vaddq_f32(a, b); }
static inline Floats Sub(Floats a, Floats b) { return vsubq_f32(a, b); }
static inline Floats Mul(Floats a, Floats b) { return vmulq_f32(a, b); }
static inline Floats Div(Floats a, Floats b) { return vdivq_f32(a, b); }
static inline Floats Fma(Floats a, Floats b, Floats c) { return vfmaq_f32(c, a, b); }  // a * b + c
static inline Floats Abs(Floats a) { return vabsq_f32(a); }
// A NaN in `b` is kept; the result of a NaN in `a` differs between levels.
static inline Floats Max(Floats a, Floats b) { return vmaxq_f32(a, b); }
static inline Floats Min(Floats a, Floats b) { return vminq_f32(a, b); }

// Adds the lanes in a fixed order: (0 + 1) + (2 + 3).
static inline float Sum(Floats v) { return vaddvq_f32(v); }
// The sums of kLanes vectors, each with the bits of Sum.
static inline Floats SumEach(const Floats* v) {
  return vpaddq_f32(vpaddq_f32(v[0], v[1]), vpaddq_f32(v[2], v[3]));
}
static inline float Largest(Floats v) { return vmaxvq_f32(v); }
static inline bool AnyNan(Floats v) { return vminvq_u32(vceqq_f32(v, v)) == 0; }
static inline bool AnyGreater(Floats a, Floats b) { return vmaxvq_u32(vcgtq_f32(a, b)) != 0; }

// Ties to even.
static inline Ints RoundToInt(Floats v) { return vcvtnq_s32_f32(v); }
static inline Floats ToFloat(Ints v) { return vcvtq_f32_s32(v); }
// Rounds x * factor to the nearest whole numbers, which must be below 2^22, also returned as
// integers. They are extracted from the mantissa: fcvtns and scvtf issue once per cycle, additions
// four times.
static inline Floats Whole(Floats x, float factor, Ints* whole) {
  const Floats magic = vdupq_n_f32(0x1.8p23f);
  const Floats sum = vfmaq_n_f32(magic, x, factor);
  *whole = vsubq_s32(vreinterpretq_s32_f32(sum), vreinterpretq_s32_f32(magic));
  return vsubq_f32(sum, magic);
}
static inline Ints AddInts(Ints v, int32_t x) { return vaddq_s32(v, vdupq_n_s32(x)); }

// Returns v * 2^power for powers from -150 to 128, in two steps because 2^-150 is not a float.
static inline Floats ScaleByPower(Floats v, Ints power) {
  const Ints half = vshrq_n_s32(power, 1);
  const Ints rest = vsubq_s32(power, half);
  const Ints bias = vdupq_n_s32(127);
  v = vmulq_f32(v, vreinterpretq_f32_s32(vshlq_n_s32(vaddq_s32(half, bias), 23)));
  return vmulq_f32(v, vreinterpretq_f32_s32(vshlq_n_s32(vaddq_s32(rest, bias), 23)));
}

static inline Floats SelectNegative(Floats sign, Floats negative, Floats other) {
  return vbslq_f32(vcltzq_f32(sign), negative, other);
}
static inline Floats SelectOdd(Ints n, Floats odd, Floats even) {
  return vbslq_f32(vtstq_s32(n, vdupq_n_s32(1)), odd, even);
}
static inline Floats NegateIfBit1(Floats v, Ints n) {
  const uint32x4_t sign = vshlq_n_u32(vandq_u32(vreinterpretq_u32_s32(n), vdupq_n_u32(2)), 30);
  return vreinterpretq_f32_u32(veorq_u32(vreinterpretq_u32_f32(v), sign));
}

// 16-bit floats.
static inline Floats LoadHalf(const uint16_t* p) {
  return vcvt_f32_f16(vreinterpret_f16_u16(vld1_u16(p)));
}
static inline void StoreHalf(uint16_t* p, Floats v) {
  vst1_u16(p, vreinterpret_u16_f16(vcvt_f16_f32(v)));
}
static inline Floats LoadBf16(const uint16_t* p) {
  return vreinterpretq_f32_u32(vshll_n_u16(vld1_u16(p), 16));
}

// 8-bit integers: kLanes of them to floats, and back with ties to even, saturating.
static inline Floats LoadInt8(const int8_t* p) {
  uint32_t bytes;
  __builtin_memcpy(&bytes, p, sizeof(bytes));
  const int16x8_t wide = vmovl_s8(vreinterpret_s8_u32(vdup_n_u32(bytes)));
  return vcvtq_f32_s32(vmovl_s16(vget_low_s16(wide)));
}
static inline void StoreInt8(int8_t* p, Floats v) {
  const int16x4_t narrow = vqmovn_s32(vcvtnq_s32_f32(v));
  const int8x8_t bytes = vqmovn_s16(vcombine_s16(narrow, narrow));
  const uint32_t four = vget_lane_u32(vreinterpret_u32_s8(bytes), 0);
  __builtin_memcpy(p, &four, sizeof(four));
}

// 32 at once, from 32 / kLanes vectors.
// Adding 1.5 * 2^23 rounds to an integer, whose low byte is the int8: at full rate, where fcvtns
// begins once in a cycle. The numbers are between -127 and 127.
static inline void StoreInt8x32(int8_t* p, const Floats* v) {
  for (int half = 0; half < 2; ++half, v += 4) {
    int8x16_t bytes[4];
    for (int i = 0; i < 4; ++i) {
      // Not contracted to a fused multiply-add with what made v, which would round only once.
      Floats x = v[i];
      asm("" : "+w"(x));
      bytes[i] = vreinterpretq_s8_f32(vaddq_f32(x, vdupq_n_f32(0x1.8p23f)));
    }
    vst1q_s8(p + 16 * half,
             vuzp1q_s8(vuzp1q_s8(bytes[0], bytes[1]), vuzp1q_s8(bytes[2], bytes[3])));
  }
}
static inline int32_t SumInt8x16(const int8_t* p) { return vaddlvq_s8(vld1q_s8(p)); }

}  // namespace infer::simd::INFER_SIMD_LEVEL
