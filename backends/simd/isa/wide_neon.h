// SPDX-License-Identifier: Apache-2.0
//
// wide.h for NEON with sdot: four registers.
#pragma once

#include <arm_neon.h>

#include <cstddef>
#include <cstdint>

namespace infer::simd::INFER_SIMD_LEVEL {

struct Floats16 {
  float32x4_t part[4];
};
struct Ints16 {
  int32x4_t part[4];
};
struct Bytes64 {
  uint8x16_t part[4];
};

// The integer sums of 4 rows and 16 columns are 16 of the 32 registers; the sums in float are in
// memory.
constexpr int kWideRows = 4;
constexpr int kBothHalvesRows = 1;

static inline Floats16 Set16(float x) {
  const float32x4_t v = vdupq_n_f32(x);
  return {{v, v, v, v}};
}
static inline Floats16 LoadF32x16(const float* p) {
  return {{vld1q_f32(p), vld1q_f32(p + 4), vld1q_f32(p + 8), vld1q_f32(p + 12)}};
}
static inline Floats16 LoadF16x16(const void* p) {
  const auto* half = static_cast<const uint16_t*>(p);
  Floats16 v;
  for (int i = 0; i < 4; ++i) {
    v.part[i] = vcvt_f32_f16(vreinterpret_f16_u16(vld1_u16(half + 4 * i)));
  }
  return v;
}
static inline Floats16 LoadInt8x16(const void* p) {
  const int8x16_t bytes = vld1q_s8(static_cast<const int8_t*>(p));
  const int16x8_t low = vmovl_s8(vget_low_s8(bytes)), high = vmovl_high_s8(bytes);
  return {{vcvtq_f32_s32(vmovl_s16(vget_low_s16(low))), vcvtq_f32_s32(vmovl_high_s16(low)),
           vcvtq_f32_s32(vmovl_s16(vget_low_s16(high))), vcvtq_f32_s32(vmovl_high_s16(high))}};
}
static inline void Store16(float* p, Floats16 v) {
  for (int i = 0; i < 4; ++i) vst1q_f32(p + 4 * i, v.part[i]);
}
static inline void StorePart16(float* p, Floats16 v, int64_t n) {
  float lanes[16];
  Store16(lanes, v);
  for (int64_t i = 0; i < n; ++i) p[i] = lanes[i];
}
static inline Floats16 Mul16(Floats16 a, Floats16 b) {
  for (int i = 0; i < 4; ++i) a.part[i] = vmulq_f32(a.part[i], b.part[i]);
  return a;
}
static inline Floats16 Fma16(Floats16 a, Floats16 b, Floats16 c) {
  for (int i = 0; i < 4; ++i) c.part[i] = vfmaq_f32(c.part[i], a.part[i], b.part[i]);
  return c;
}

static inline Bytes64 LoadBytes64(const void* p) {
  const auto* at = static_cast<const uint8_t*>(p);
  return {{vld1q_u8(at), vld1q_u8(at + 16), vld1q_u8(at + 32), vld1q_u8(at + 48)}};
}
static inline void StoreBytes64(void* p, Bytes64 v) {
  for (int i = 0; i < 4; ++i) vst1q_u8(static_cast<uint8_t*>(p) + 16 * i, v.part[i]);
}
// (v >> kShift) & kMask in each byte.
template <int kShift, int kMask>
static inline Bytes64 Field64(Bytes64 v) {
  for (uint8x16_t& part : v.part) {
    if constexpr (kShift > 0) part = vshrq_n_u8(part, kShift);
    if constexpr (kMask != 0xff >> kShift) part = vandq_u8(part, vdupq_n_u8(kMask));
  }
  return v;
}
// Bits [kFrom, kFrom + kBits) of each byte of `high`, moved to kTo, or-ed to `low`.
template <int kFrom, int kBits, int kTo>
static inline Bytes64 OrField64(Bytes64 low, Bytes64 high) {
  const uint8x16_t mask = vdupq_n_u8(((1 << kBits) - 1) << kTo);
  for (int i = 0; i < 4; ++i) {
    uint8x16_t moved = high.part[i];
    if constexpr (kFrom > kTo) moved = vshrq_n_u8(moved, kFrom - kTo);
    if constexpr (kFrom < kTo) moved = vshlq_n_u8(moved, kTo - kFrom);
    low.part[i] = vorrq_u8(low.part[i], vandq_u8(moved, mask));
  }
  return low;
}
static inline Bytes64 Lookup64(const int8_t* table, Bytes64 indices) {
  const uint8x16_t entries = vreinterpretq_u8_s8(vld1q_s8(table));
  for (uint8x16_t& part : indices.part) part = vqtbl1q_u8(entries, part);
  return indices;
}
// Adds to each byte, modulo 256.
static inline Bytes64 Shift64(Bytes64 v, int by) {
  const uint8x16_t each = vdupq_n_u8(static_cast<uint8_t>(by));
  for (uint8x16_t& part : v.part) part = vaddq_u8(part, each);
  return v;
}
static inline void FetchAhead(const std::byte* p) { __builtin_prefetch(p, 0, 1); }

// sdot multiplies signed bytes, and unsigned weights are below 128.
constexpr int kSignedOffset = 0;
constexpr bool kAnyBytesAlike = true;
template <bool kSigned>
struct Weights64 {
  int8x16_t bytes[4];
  explicit Weights64(Bytes64 w) {
    for (int i = 0; i < 4; ++i) bytes[i] = vreinterpretq_s8_u8(w.part[i]);
  }
};

// As in wide_avx512.h. The activations of four steps are one register.
template <bool kSigned, int kLargest, int kGroupSteps>
struct Dots16 {
  Ints16 sums;
  // The bits of 1.5 * 2^23 plus a sum below 2^22 are the float of both together: a subtraction then
  // converts the sum at twice the rate of scvtf.
  void Start(int32_t start) {
    for (int32x4_t& part : sums.part) part = vdupq_n_s32(0x4b400000 + start);
  }
  template <int kStep>
  [[gnu::always_inline]] inline void Add(const Weights64<kSigned>& w, const int8_t* chunk) {
    const int8x16_t x = vld1q_s8(chunk + kStep / 4 * 16);
    for (int i = 0; i < 4; ++i) {
      sums.part[i] = vdotq_laneq_s32(sums.part[i], w.bytes[i], x, kStep % 4);
    }
    // Keeps the order of the source: clang otherwise finishes one row before the next, with all
    // weights of the chunk on the stack.
    asm volatile(""
                 : "+w"(sums.part[0]), "+w"(sums.part[1]), "+w"(sums.part[2]), "+w"(sums.part[3]));
  }
  Floats16 Total() const {
    Floats16 out;
    for (int i = 0; i < 4; ++i) {
      out.part[i] = vsubq_f32(vreinterpretq_f32_s32(sums.part[i]), vdupq_n_f32(0x1.8p23f));
    }
    return out;
  }
};

}  // namespace infer::simd::INFER_SIMD_LEVEL
