// SPDX-License-Identifier: Apache-2.0
//
// wide.h in plain C++, for tests on any CPU: what wide_avx512.h does, lane by lane.
#pragma once

#include <cstddef>
#include <cstdint>

namespace infer::simd::INFER_SIMD_LEVEL {

struct Floats16 {
  float lane[16];
};
struct Ints16 {
  int32_t lane[16];
};
struct Bytes64 {
  uint8_t byte[64];
};

// Few, because each number of rows is compiled for each format, and both ways to handle the halves.
constexpr int kWideRows = 3;
constexpr int kBothHalvesRows = 2;

static inline Floats16 Set16(float x) {
  Floats16 v;
  for (float& lane : v.lane) lane = x;
  return v;
}
static inline Floats16 LoadF32x16(const float* p) {
  Floats16 v;
  __builtin_memcpy(v.lane, p, sizeof(v.lane));
  return v;
}
static inline float FloatOfBits(uint32_t bits) {
  float x;
  __builtin_memcpy(&x, &bits, sizeof(x));
  return x;
}
static inline uint32_t BitsOfFloat(float x) {
  uint32_t bits;
  __builtin_memcpy(&bits, &x, sizeof(bits));
  return bits;
}
static inline Floats16 LoadF16x16(const void* p) {
  Floats16 v;
  uint16_t half[16];
  __builtin_memcpy(half, p, sizeof(half));
  for (int i = 0; i < 16; ++i) {
    // Read as a float, the exponent is too small by 127 - 15; of infinity and NaN it is the
    // largest.
    const uint32_t magnitude = half[i] & 0x7fffu;
    uint32_t bits = BitsOfFloat(FloatOfBits(magnitude << 13) * 0x1p112f);
    if (magnitude >= 0x7c00u) bits |= 0x7f800000u;
    v.lane[i] = FloatOfBits(bits | static_cast<uint32_t>(half[i] & 0x8000u) << 16);
  }
  return v;
}
static inline Floats16 SetHalf16(const void* p) {
  uint16_t half[16];
  for (uint16_t& one : half) __builtin_memcpy(&one, p, sizeof(one));
  return LoadF16x16(half);
}
static inline Floats16 LoadInt8x16(const void* p) {
  Floats16 v;
  int8_t bytes[16];
  __builtin_memcpy(bytes, p, sizeof(bytes));
  for (int i = 0; i < 16; ++i) v.lane[i] = bytes[i];
  return v;
}
static inline Floats16 LoadBf16Half(const void* p, int half) {
  Floats16 v;
  uint16_t bits[32];
  __builtin_memcpy(bits, p, sizeof(bits));
  for (int i = 0; i < 16; ++i) {
    v.lane[i] = FloatOfBits(static_cast<uint32_t>(bits[2 * i + half]) << 16);
  }
  return v;
}
// 16 pairs of bf16: the first and the second of each pair.
static inline Floats16 LoadBf16Even(const void* p) { return LoadBf16Half(p, 0); }
static inline Floats16 LoadBf16Odd(const void* p) { return LoadBf16Half(p, 1); }
static inline void Store16(float* p, Floats16 v) { __builtin_memcpy(p, v.lane, sizeof(v.lane)); }
static inline void StorePart16(float* p, Floats16 v, int64_t n) {
  for (int64_t i = 0; i < n; ++i) p[i] = v.lane[i];
}
static inline Floats16 Mul16(Floats16 a, Floats16 b) {
  for (int i = 0; i < 16; ++i) a.lane[i] *= b.lane[i];
  return a;
}
static inline Floats16 Fma16(Floats16 a, Floats16 b, Floats16 c) {
  for (int i = 0; i < 16; ++i) c.lane[i] = __builtin_fmaf(a.lane[i], b.lane[i], c.lane[i]);
  return c;
}
static inline Floats16 ToFloat16(Ints16 v) {
  Floats16 out;
  for (int i = 0; i < 16; ++i) out.lane[i] = static_cast<float>(v.lane[i]);
  return out;
}

static inline Bytes64 LoadBytes64(const void* p) {
  Bytes64 v;
  __builtin_memcpy(v.byte, p, sizeof(v.byte));
  return v;
}
// (v >> kShift) & kMask in each byte.
template <int kShift, int kMask>
static inline Bytes64 Field64(Bytes64 v) {
  for (uint8_t& byte : v.byte) byte = byte >> kShift & kMask;
  return v;
}
// Bits [kFrom, kFrom + kBits) of each byte of `high`, moved to kTo, or-ed to `low`.
template <int kFrom, int kBits, int kTo>
static inline Bytes64 OrField64(Bytes64 low, Bytes64 high) {
  for (int i = 0; i < 64; ++i) {
    low.byte[i] |= static_cast<uint8_t>((high.byte[i] >> kFrom & ((1 << kBits) - 1)) << kTo);
  }
  return low;
}
static inline Bytes64 Lookup64(const int8_t* table, Bytes64 indices) {
  for (uint8_t& byte : indices.byte) byte = static_cast<uint8_t>(table[byte]);
  return indices;
}
// Adds to each byte, modulo 256.
static inline Bytes64 Shift64(Bytes64 v, int by) {
  for (uint8_t& byte : v.byte) byte = static_cast<uint8_t>(byte + by);
  return v;
}
static inline void FetchAhead(const std::byte*) {}

constexpr float kByteBase[4] = {0x1p15f, 0x1p15f, 0x1p16f, 0x1p8f};

constexpr int kSignedOffset = 128;
constexpr bool kAnyBytesAlike = true;
template <bool kSigned>
struct Weights64 {
  Bytes64 bytes;
  explicit Weights64(Bytes64 w) : bytes(w) {
    if (!kSigned) return;
    for (uint8_t& byte : bytes.byte) byte ^= 0x80;
  }
};

// Sums of 16 columns over a group, kGroupSteps steps of 4 elements out of the 8 steps of a chunk.
// kLargest is the largest weight.
template <bool kSigned, int kLargest, int kGroupSteps>
struct Dots16 {
  Ints16 sums;
  void Start(int32_t start) {
    for (int32_t& lane : sums.lane) lane = start;
  }
  template <int kStep>
  inline void Add(const Weights64<kSigned>& w, const int8_t* chunk) {
    const int8_t* x = chunk + kStep * 4;
    for (int i = 0; i < 64; ++i) sums.lane[i / 4] += w.bytes.byte[i] * x[i % 4];
  }
  Floats16 Total() const { return ToFloat16(sums); }
};

// As in wide_avx512.h.
static inline void StoreBf16x16(uint16_t* p, Floats16 v) {
  for (int i = 0; i < 16; ++i) {
    const uint32_t bits = BitsOfFloat(v.lane[i]);
    const bool is_nan = v.lane[i] != v.lane[i];
    p[i] = static_cast<uint16_t>(is_nan ? 0x7fc0u : (bits + 0x7fffu + (bits >> 16 & 1u)) >> 16);
  }
}
static inline void StorePairsCut(uint16_t* p, Floats16 even, Floats16 odd) {
  for (int i = 0; i < 16; ++i) {
    p[2 * i] = static_cast<uint16_t>(BitsOfFloat(even.lane[i]) >> 16);
    p[2 * i + 1] = static_cast<uint16_t>(BitsOfFloat(odd.lane[i]) >> 16);
  }
}
static inline Bytes64 PairsRounded(Floats16 even, Floats16 odd) {
  Bytes64 v;
  for (int i = 0; i < 16; ++i) {
    const uint32_t pair = ((BitsOfFloat(even.lane[i]) + 0x8000u) >> 16) |
                          ((BitsOfFloat(odd.lane[i]) + 0x8000u) & 0xffff0000u);
    __builtin_memcpy(v.byte + 4 * i, &pair, sizeof(pair));
  }
  return v;
}
static inline void StoreBytes64(void* p, Bytes64 v) { __builtin_memcpy(p, v.byte, sizeof(v.byte)); }

static inline Floats16 Sub16(Floats16 a, Floats16 b) {
  for (int i = 0; i < 16; ++i) a.lane[i] -= b.lane[i];
  return a;
}
static inline Floats16 Add16(Floats16 a, Floats16 b) {
  for (int i = 0; i < 16; ++i) a.lane[i] += b.lane[i];
  return a;
}
static inline Floats16 Max16(Floats16 a, Floats16 b) {
  for (int i = 0; i < 16; ++i) a.lane[i] = a.lane[i] > b.lane[i] ? a.lane[i] : b.lane[i];
  return a;
}
static inline bool AnyDiffers16(Floats16 a, Floats16 b) {
  for (int i = 0; i < 16; ++i) {
    if (a.lane[i] != b.lane[i]) return true;
  }
  return false;
}
static inline Floats16 Whole16(Floats16 x) {
  for (float& lane : x.lane) lane = __builtin_nearbyintf(lane);
  return x;
}
static inline Floats16 Scale16(Floats16 v, Floats16 power) {
  for (int i = 0; i < 16; ++i) {
    // NaN stays NaN. Powers are between -160 and 0, or infinite, which no integer is.
    const float p = power.lane[i];
    const float limited = p < -400 ? -400.0f : p > 400 ? 400.0f : p;
    v.lane[i] = p == p ? __builtin_ldexpf(v.lane[i], static_cast<int>(limited)) : p;
  }
  return v;
}
static inline void Transpose16(Bytes64 (&v)[16]) {
  Bytes64 out[16];
  for (int r = 0; r < 16; ++r) {
    for (int c = 0; c < 16; ++c) __builtin_memcpy(out[c].byte + 4 * r, v[r].byte + 4 * c, 4);
  }
  for (int r = 0; r < 16; ++r) v[r] = out[r];
}
static inline Floats16 Fms16(Floats16 a, Floats16 b, Floats16 c) {
  for (int i = 0; i < 16; ++i) c.lane[i] = __builtin_fmaf(a.lane[i], b.lane[i], -c.lane[i]);
  return c;
}
template <int kByte>
static inline Floats16 PlusBase(Bytes64 v) {
  Floats16 out;
  for (int i = 0; i < 16; ++i) out.lane[i] = kByteBase[kByte] + v.byte[4 * i + kByte];
  return out;
}

}  // namespace infer::simd::INFER_SIMD_LEVEL
