// SPDX-License-Identifier: Apache-2.0
//
// Blocks of 32 weights as bytes, and their products with 32 activations, for the level neon.
#pragma once

#include <arm_neon.h>

#include <cstdint>

namespace infer::simd::INFER_SIMD_LEVEL {

using Bytes16 = uint8x16_t;
struct Bytes32 {
  uint8x16_t low, high;
};

// Weight rows and tokens that a product processes at once: sums, weights and activations fill the
// 32 registers.
constexpr int kTileRows = 4;
constexpr int kTileTokens = 4;

// Reads a half as stored in a file.
static inline float HalfAt(const uint8_t* p) {
  uint16_t bits;
  __builtin_memcpy(&bits, p, sizeof(bits));
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

static inline int32x4_t Dot16(int32x4_t sum, uint8x16_t w, uint8x16_t x) {
  const int8x16_t a = vreinterpretq_s8_u8(w), b = vreinterpretq_s8_u8(x);
  sum = vpadalq_s16(sum, vmull_s8(vget_low_s8(a), vget_low_s8(b)));
  return vpadalq_s16(sum, vmull_high_s8(a, b));
}

// Scales, and minima where a format has them, of one block of kRows weight rows.
template <int kRows, int kGroups>
struct TileScales {
  alignas(16) float scale[kGroups][kRows];
  alignas(16) float min[kGroups][kRows];

  void Set(int row, const float* scales, const float* mins) {
    for (int g = 0; g < kGroups; ++g) scale[g][row] = scales[g];
    if (mins == nullptr) return;
    for (int g = 0; g < kGroups; ++g) min[g][row] = mins[g];
  }
};

// The products of kRows weight rows with one token. The integers of a group of 32 or 16 elements
// are added up first, which is exact, so that one conversion and one fma serve four rows: 14
// instructions for 4 rows x 32 elements where partial sums in float take 20. A row is the sum of
// its groups in ascending order, with one rounding for each, whatever the shape of the tile.
template <int kRows>
struct RowSums;

template <>
struct RowSums<4> {
  float32x4_t sums;  // a row in each lane

  void Clear() { sums = vdupq_n_f32(0); }

  // Weights are signed bytes, or unsigned ones up to 127.
  template <bool kSigned>
  [[gnu::always_inline]] inline void Add32(const Bytes32 (&w)[4], Bytes32 x, const float* scales,
                                           float x_scale) {
    int32x4_t dot[4];
    for (int r = 0; r < 4; ++r) {
      dot[r] = Dot16(Dot16(vdupq_n_s32(0), w[r].low, x.low), w[r].high, x.high);
    }
    Add(dot, scales, x_scale);
  }
  // The same with one scale per 16 elements.
  template <bool kSigned>
  [[gnu::always_inline]] inline void Add16(const Bytes32 (&w)[4], Bytes32 x, const float* low,
                                           const float* high, float x_scale) {
    int32x4_t dot[4];
    for (int r = 0; r < 4; ++r) dot[r] = Dot16(vdupq_n_s32(0), w[r].low, x.low);
    Add(dot, low, x_scale);
    for (int r = 0; r < 4; ++r) dot[r] = Dot16(vdupq_n_s32(0), w[r].high, x.high);
    Add(dot, high, x_scale);
  }
  // Adds the minima times the sums of the groups' activations.
  template <int kGroups>
  void AddMins(const TileScales<4, kGroups>& scales, const float* x_sums) {
    for (int g = 0; g < kGroups; ++g) {
      sums = vfmaq_n_f32(sums, vld1q_f32(scales.min[g]), x_sums[g]);
    }
  }
  void Store(float* out) const { vst1q_f32(out, sums); }

 private:
  [[gnu::always_inline]] inline void Add(const int32x4_t (&dot)[4], const float* scales,
                                         float x_scale) {
    const int32x4_t totals = vpaddq_s32(vpaddq_s32(dot[0], dot[1]), vpaddq_s32(dot[2], dot[3]));
    sums = vfmaq_f32(sums, vcvtq_f32_s32(totals), vmulq_n_f32(vld1q_f32(scales), x_scale));
  }
};

template <>
struct RowSums<1> {
  float sum;

  void Clear() { sum = 0; }
  template <bool kSigned>
  void Add32(const Bytes32 (&w)[1], Bytes32 x, const float* scale, float x_scale) {
    Add(Dot16(Dot16(vdupq_n_s32(0), w[0].low, x.low), w[0].high, x.high), *scale, x_scale);
  }
  template <bool kSigned>
  void Add16(const Bytes32 (&w)[1], Bytes32 x, const float* low, const float* high, float x_scale) {
    Add(Dot16(vdupq_n_s32(0), w[0].low, x.low), *low, x_scale);
    Add(Dot16(vdupq_n_s32(0), w[0].high, x.high), *high, x_scale);
  }
  template <int kGroups>
  void AddMins(const TileScales<1, kGroups>& scales, const float* x_sums) {
    for (int g = 0; g < kGroups; ++g) sum = __builtin_fmaf(scales.min[g][0], x_sums[g], sum);
  }
  void Store(float* out) const { *out = sum; }

 private:
  void Add(int32x4_t dot, float scale, float x_scale) {
    sum = __builtin_fmaf(static_cast<float>(vaddvq_s32(dot)), scale * x_scale, sum);
  }
};

}  // namespace infer::simd::INFER_SIMD_LEVEL
