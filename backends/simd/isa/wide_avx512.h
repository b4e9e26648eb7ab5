// SPDX-License-Identifier: Apache-2.0
//
// wide.h for AVX-512 with VNNI: one register.
#pragma once

#include <immintrin.h>

#include <cstddef>
#include <cstdint>

namespace infer::simd::INFER_SIMD_LEVEL {

using Floats16 = __m512;
using Ints16 = __m512i;
using Bytes64 = __m512i;

// Rows that a product with 32 columns handles at once: as many sums again in integers, and 2
// weights, fill the 32 registers. A broadcast activation then serves two products.
constexpr int kWideRows = 6;
// The most rows for which sums of both halves of a panel fit.
constexpr int kBothHalvesRows = kWideRows;

static inline Floats16 Set16(float x) { return _mm512_set1_ps(x); }
static inline Floats16 LoadF32x16(const float* p) { return _mm512_loadu_ps(p); }
static inline Floats16 LoadF16x16(const void* p) {
  return _mm512_cvtph_ps(_mm256_loadu_si256(static_cast<const __m256i*>(p)));
}
static inline Floats16 SetHalf16(const void* p) {
  uint16_t half;
  __builtin_memcpy(&half, p, sizeof(half));
  return _mm512_cvtph_ps(_mm256_set1_epi16(static_cast<short>(half)));
}
static inline Floats16 LoadInt8x16(const void* p) {
  return _mm512_cvtepi32_ps(_mm512_cvtepi8_epi32(_mm_loadu_si128(static_cast<const __m128i*>(p))));
}
// 16 pairs of bf16: the first and the second of each pair.
static inline Floats16 LoadBf16Even(const void* p) {
  return _mm512_castsi512_ps(_mm512_slli_epi32(_mm512_loadu_si512(p), 16));
}
static inline Floats16 LoadBf16Odd(const void* p) {
  return _mm512_castsi512_ps(
      _mm512_and_si512(_mm512_loadu_si512(p), _mm512_set1_epi32(static_cast<int>(0xffff0000u))));
}
static inline void Store16(float* p, Floats16 v) { _mm512_storeu_ps(p, v); }
static inline void StorePart16(float* p, Floats16 v, int64_t n) {
  _mm512_mask_storeu_ps(p, static_cast<__mmask16>((1u << n) - 1), v);
}
static inline Floats16 Mul16(Floats16 a, Floats16 b) { return _mm512_mul_ps(a, b); }
static inline Floats16 Fma16(Floats16 a, Floats16 b, Floats16 c) {
  return _mm512_fmadd_ps(a, b, c);
}
static inline Floats16 ToFloat16(Ints16 v) { return _mm512_cvtepi32_ps(v); }

static inline Bytes64 LoadBytes64(const void* p) { return _mm512_loadu_si512(p); }
// (v >> kShift) & kMask in each byte.
template <int kShift, int kMask>
static inline Bytes64 Field64(Bytes64 v) {
  return _mm512_and_si512(_mm512_srli_epi16(v, kShift), _mm512_set1_epi8(kMask));
}
// Bits [kFrom, kFrom + kBits) of each byte of `high`, moved to kTo, or-ed to `low`.
template <int kFrom, int kBits, int kTo>
static inline Bytes64 OrField64(Bytes64 low, Bytes64 high) {
  constexpr int kMask = ((1 << kBits) - 1) << kTo;
  const __m512i moved = kFrom > kTo ? _mm512_srli_epi16(high, kFrom > kTo ? kFrom - kTo : 0)
                                    : _mm512_slli_epi16(high, kTo > kFrom ? kTo - kFrom : 0);
  // low | (moved & mask)
  return _mm512_ternarylogic_epi32(low, moved, _mm512_set1_epi8(kMask), 0xF8);
}
static inline Bytes64 Lookup64(const int8_t* table, Bytes64 indices) {
  const __m128i entries = _mm_loadu_si128(reinterpret_cast<const __m128i*>(table));
  return _mm512_shuffle_epi8(_mm512_broadcast_i32x4(entries), indices);
}
// Adds to each byte, modulo 256.
static inline Bytes64 Shift64(Bytes64 v, int by) {
  return _mm512_add_epi8(v, _mm512_set1_epi8(static_cast<char>(by)));
}
static inline void FetchAhead(const std::byte* p) {
  _mm_prefetch(reinterpret_cast<const char*>(p), _MM_HINT_T1);
}

// vpdpbusd multiplies unsigned by signed bytes. Signed weights become unsigned by adding 128, which
// a product takes back as the start of its sums.
constexpr int kSignedOffset = 128;
constexpr bool kAnyBytesAlike = true;  // as fast as small numbers
template <bool kSigned>
struct Weights64 {
  __m512i bytes;
  explicit Weights64(Bytes64 w)
      : bytes(kSigned ? _mm512_xor_si512(w, _mm512_set1_epi8(static_cast<char>(0x80))) : w) {}
};

// Sums of 16 columns over a group, kGroupSteps steps of 4 elements out of the 8 steps of a chunk.
// kLargest is the largest weight; `chunk` has the activations of the chunk.
template <bool kSigned, int kLargest, int kGroupSteps>
struct Dots16 {
  __m512i sums;
  void Start(int32_t start) { sums = _mm512_set1_epi32(start); }
  template <int kStep>
  [[gnu::always_inline]] inline void Add(const Weights64<kSigned>& w, const int8_t* chunk) {
    int32_t four;
    __builtin_memcpy(&four, chunk + kStep * 4, sizeof(four));
    sums = _mm512_dpbusd_epi32(sums, w.bytes, _mm512_set1_epi32(four));
  }
  Floats16 Total() const { return ToFloat16(sums); }
};

// Rounds to bf16, ties to even. The instruction takes denormal numbers as zero, as tiles do.
static inline void StoreBf16x16(uint16_t* p, Floats16 v) {
#if defined(__AVX512BF16__)
  const __m256bh rounded = _mm512_cvtneps_pbh(v);
  __builtin_memcpy(p, &rounded, sizeof(rounded));
#else
  const __m512i bits = _mm512_castps_si512(v);
  const __m512i odd = _mm512_and_si512(_mm512_srli_epi32(bits, 16), _mm512_set1_epi32(1));
  __m512i rounded = _mm512_srli_epi32(
      _mm512_add_epi32(bits, _mm512_add_epi32(odd, _mm512_set1_epi32(0x7fff))), 16);
  rounded = _mm512_mask_mov_epi32(rounded, _mm512_cmp_ps_mask(v, v, _CMP_UNORD_Q),
                                  _mm512_set1_epi32(0x7fc0));
  _mm256_storeu_si256(reinterpret_cast<__m256i*>(p), _mm512_cvtepi32_epi16(rounded));
#endif
}
// Stores the upper halves of 16 pairs of floats, which are bf16 cut and not rounded.
static inline void StorePairsCut(uint16_t* p, Floats16 even, Floats16 odd) {
  _mm512_storeu_si512(
      p, _mm512_mask_blend_epi16(0xAAAAAAAAu, _mm512_srli_epi32(_mm512_castps_si512(even), 16),
                                 _mm512_castps_si512(odd)));
}
// 16 pairs of floats as bf16, rounded, ties away from zero.
static inline Bytes64 PairsRounded(Floats16 even, Floats16 odd) {
  const __m512i half = _mm512_set1_epi32(0x8000);
  return _mm512_mask_blend_epi16(
      0xAAAAAAAAu, _mm512_srli_epi32(_mm512_add_epi32(_mm512_castps_si512(even), half), 16),
      _mm512_add_epi32(_mm512_castps_si512(odd), half));
}
static inline void StoreBytes64(void* p, Bytes64 v) { _mm512_storeu_si512(p, v); }

static inline Floats16 Sub16(Floats16 a, Floats16 b) { return _mm512_sub_ps(a, b); }
static inline Floats16 Add16(Floats16 a, Floats16 b) { return _mm512_add_ps(a, b); }
// A NaN in `b` is kept.
static inline Floats16 Max16(Floats16 a, Floats16 b) { return _mm512_max_ps(a, b); }
static inline bool AnyDiffers16(Floats16 a, Floats16 b) {
  return _mm512_cmp_ps_mask(a, b, _CMP_NEQ_UQ) != 0;
}
static inline Floats16 Whole16(Floats16 x) {
  return _mm512_roundscale_ps(x, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC);
}
// v * 2^power, for whole powers.
static inline Floats16 Scale16(Floats16 v, Floats16 power) { return _mm512_scalef_ps(v, power); }

// Exchanges rows and columns of 16 x 16 numbers of 32 bits: first within quarters of registers,
// then the quarters.
static inline void Transpose16(Bytes64 (&v)[16]) {
  __m512i t[16];
  for (int i = 0; i < 16; i += 2) {
    t[i] = _mm512_unpacklo_epi32(v[i], v[i + 1]);
    t[i + 1] = _mm512_unpackhi_epi32(v[i], v[i + 1]);
  }
  for (int i = 0; i < 16; i += 4) {
    v[i] = _mm512_unpacklo_epi64(t[i], t[i + 2]);
    v[i + 1] = _mm512_unpackhi_epi64(t[i], t[i + 2]);
    v[i + 2] = _mm512_unpacklo_epi64(t[i + 1], t[i + 3]);
    v[i + 3] = _mm512_unpackhi_epi64(t[i + 1], t[i + 3]);
  }
  for (int i = 0; i < 4; ++i) {
    t[i] = _mm512_shuffle_i32x4(v[i], v[i + 4], 0x88);
    t[i + 4] = _mm512_shuffle_i32x4(v[i], v[i + 4], 0xDD);
    t[i + 8] = _mm512_shuffle_i32x4(v[i + 8], v[i + 12], 0x88);
    t[i + 12] = _mm512_shuffle_i32x4(v[i + 8], v[i + 12], 0xDD);
  }
  for (int i = 0; i < 4; ++i) {
    v[i] = _mm512_shuffle_i32x4(t[i], t[i + 8], 0x88);
    v[i + 8] = _mm512_shuffle_i32x4(t[i], t[i + 8], 0xDD);
    v[i + 4] = _mm512_shuffle_i32x4(t[i + 4], t[i + 12], 0x88);
    v[i + 12] = _mm512_shuffle_i32x4(t[i + 4], t[i + 12], 0xDD);
  }
}
// a * b - c.
static inline Floats16 Fms16(Floats16 a, Floats16 b, Floats16 c) {
  return _mm512_fmsub_ps(a, b, c);
}

// Byte kByte of each of 16 numbers of 32 bits, plus kByteBase[kByte], as floats: the byte is moved
// onto the exponent whose lowest bits it then fills. No conversion, and one shift serves two bytes.
constexpr float kByteBase[4] = {0x1p15f, 0x1p15f, 0x1p16f, 0x1p8f};
template <int kByte>
static inline Floats16 PlusBase(Bytes64 v) {
  constexpr int kMask[4] = {0xff00, 0xff00, 0x7f80, 0x7f8000};
  constexpr int kExponent[4] = {0x47000000, 0x47000000, 0x47800000, 0x43800000};
  const __m512i moved = kByte == 0   ? _mm512_slli_epi32(v, 8)
                        : kByte == 1 ? v
                                     : _mm512_srli_epi32(v, 9);
  return _mm512_castsi512_ps(_mm512_ternarylogic_epi32(moved, _mm512_set1_epi32(kMask[kByte]),
                                                       _mm512_set1_epi32(kExponent[kByte]), 0xEA));
}

}  // namespace infer::simd::INFER_SIMD_LEVEL
