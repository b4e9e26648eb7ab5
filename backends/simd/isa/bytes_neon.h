// SPDX-License-Identifier: Apache-2.0
//
// bytes.h for Advanced SIMD, using the dot product instruction if the level has it.
#pragma once

#include <arm_neon.h>

#include <cstdint>

namespace infer::simd::INFER_SIMD_LEVEL {

using Bytes16 = uint8x16_t;
struct Bytes32 {
  uint8x16_t low, high;
};
using DotSums = float32x4_t;  // partial sums of a product

// Weight rows and tokens that a product processes at once: sums, weights and activations fill the
// 32 registers.
constexpr int kTileRows = 4;
constexpr int kTileTokens = 4;

static inline float HalfToFloat(uint16_t bits) {
  return vgetq_lane_f32(vcvt_f32_f16(vreinterpret_f16_u16(vdup_n_u16(bits))), 0);
}

static inline Bytes16 Load16(const void* p) { return vld1q_u8(static_cast<const uint8_t*>(p)); }
static inline Bytes32 Load32(const void* p) {
  const uint8_t* bytes = static_cast<const uint8_t*>(p);
  return {vld1q_u8(bytes), vld1q_u8(bytes + 16)};
}

// Returns the low halves of 16 bytes, then their high halves.
static inline Bytes32 SplitNibbles(Bytes16 v) {
  return {vandq_u8(v, vdupq_n_u8(15)), vshrq_n_u8(v, 4)};
}
// (v >> kShift) & kMask in each byte.
template <int kShift, int kMask>
static inline uint8x16_t Field16(uint8x16_t v) {
  if constexpr (kShift != 0) v = vshrq_n_u8(v, kShift);
  return vandq_u8(v, vdupq_n_u8(kMask));
}
template <int kShift, int kMask>
static inline Bytes32 Field(Bytes32 v) {
  return {Field16<kShift, kMask>(v.low), Field16<kShift, kMask>(v.high)};
}
// v << kShift, for bytes whose high bits are zero.
template <int kShift>
static inline Bytes32 ShiftLeft(Bytes32 v) {
  return {vshlq_n_u8(v.low, kShift), vshlq_n_u8(v.high, kShift)};
}
static inline Bytes32 Or(Bytes32 a, Bytes32 b) {
  return {vorrq_u8(a.low, b.low), vorrq_u8(a.high, b.high)};
}
static inline Bytes32 Subtract(Bytes32 v, uint8_t x) {
  return {vsubq_u8(v.low, vdupq_n_u8(x)), vsubq_u8(v.high, vdupq_n_u8(x))};
}
static inline Bytes32 Lookup(Bytes16 table, Bytes32 indices) {
  return {vqtbl1q_u8(table, indices.low), vqtbl1q_u8(table, indices.high)};
}
// Returns `value` in byte i if bit i of the four bytes at p is set, else 0.
static inline Bytes32 SpreadBits(const uint8_t* p, uint8_t value) {
  const uint8x16_t bit = vreinterpretq_u8_u64(vdupq_n_u64(0x8040201008040201));
  const uint8x16_t low = vcombine_u8(vdup_n_u8(p[0]), vdup_n_u8(p[1]));
  const uint8x16_t high = vcombine_u8(vdup_n_u8(p[2]), vdup_n_u8(p[3]));
  return {vandq_u8(vtstq_u8(low, bit), vdupq_n_u8(value)),
          vandq_u8(vtstq_u8(high, bit), vdupq_n_u8(value))};
}

static inline DotSums ZeroSums() { return vdupq_n_f32(0); }
static inline float TotalOf(DotSums sums) { return vaddvq_f32(sums); }

// sums += a . b of 8 floats.
static inline DotSums AddProducts8(DotSums sums, const float* a, const float* b) {
  sums = vfmaq_f32(sums, vld1q_f32(a), vld1q_f32(b));
  return vfmaq_f32(sums, vld1q_f32(a + 4), vld1q_f32(b + 4));
}

static inline int32x4_t Dot16(int32x4_t sum, uint8x16_t w, uint8x16_t x) {
  const int8x16_t a = vreinterpretq_s8_u8(w), b = vreinterpretq_s8_u8(x);
#if defined(__ARM_FEATURE_DOTPROD)
  return vdotq_s32(sum, a, b);
#else
  sum = vpadalq_s16(sum, vmull_s8(vget_low_s8(a), vget_low_s8(b)));
  return vpadalq_s16(sum, vmull_high_s8(a, b));
#endif
}

// sums += scale * (w . x), for weights that are signed bytes, or unsigned ones up to 127.
template <bool kSigned>
static inline DotSums AddDot(DotSums sums, Bytes32 w, Bytes32 x, float scale) {
  const int32x4_t dot = Dot16(Dot16(vdupq_n_s32(0), w.low, x.low), w.high, x.high);
  return vfmaq_n_f32(sums, vcvtq_f32_s32(dot), scale);
}
// The same with one scale per 16 elements.
template <bool kSigned>
static inline DotSums AddDot(DotSums sums, Bytes32 w, Bytes32 x, float low, float high) {
  sums = vfmaq_n_f32(sums, vcvtq_f32_s32(Dot16(vdupq_n_s32(0), w.low, x.low)), low);
  return vfmaq_n_f32(sums, vcvtq_f32_s32(Dot16(vdupq_n_s32(0), w.high, x.high)), high);
}

}  // namespace infer::simd::INFER_SIMD_LEVEL
