// SPDX-License-Identifier: Apache-2.0
//
// vec.h for AVX-512: 16 floats.
#pragma once

#include <immintrin.h>

#include <cstdint>

namespace infer::simd::INFER_SIMD_LEVEL {

using Floats = __m512;
using Ints = __m512i;
constexpr int kLanes = 16;

static inline Floats Broadcast(float x) { return _mm512_set1_ps(x); }
static inline Floats Load(const float* p) { return _mm512_loadu_ps(p); }
static inline void Store(float* p, Floats v) { _mm512_storeu_ps(p, v); }
static inline __mmask16 PartMask(int64_t n) { return static_cast<__mmask16>((1u << n) - 1); }
// Loads the first n < kLanes elements; the other lanes are zero.
static inline Floats LoadPart(const float* p, int64_t n) {
  return _mm512_maskz_loadu_ps(PartMask(n), p);
}
static inline void StorePart(float* p, Floats v, int64_t n) {
  _mm512_mask_storeu_ps(p, PartMask(n), v);
}

static inline Floats Add(Floats a, Floats b) { return _mm512_add_ps(a, b); }
static inline Floats Sub(Floats a, Floats b) { return _mm512_sub_ps(a, b); }
static inline Floats Mul(Floats a, Floats b) { return _mm512_mul_ps(a, b); }
static inline Floats Div(Floats a, Floats b) { return _mm512_div_ps(a, b); }
static inline Floats Fma(Floats a, Floats b, Floats c) { return _mm512_fmadd_ps(a, b, c); }
static inline Floats Abs(Floats a) { return _mm512_abs_ps(a); }
// A NaN in `b` is kept; the result of a NaN in `a` differs between levels.
static inline Floats Max(Floats a, Floats b) { return _mm512_max_ps(a, b); }
static inline Floats Min(Floats a, Floats b) { return _mm512_min_ps(a, b); }

// Adds the lanes in a fixed order: halves, quarters, eighths, pairs.
static inline float Sum(Floats v) {
  const __m256 h = _mm256_add_ps(_mm512_castps512_ps256(v), _mm512_extractf32x8_ps(v, 1));
  __m128 s = _mm_add_ps(_mm256_castps256_ps128(h), _mm256_extractf128_ps(h, 1));
  s = _mm_add_ps(s, _mm_movehl_ps(s, s));
  return _mm_cvtss_f32(_mm_add_ss(s, _mm_movehdup_ps(s)));
}
// The sums of kLanes vectors, each with the bits of Sum: the halves of two vectors are added at
// once, then the quarters of four, the eighths of eight and the pairs of sixteen.
static inline Floats SumEach(const Floats* v) {
  __m512 t[8];  // of vectors i and i + 8
  for (int i = 0; i < 8; ++i) {
    t[i] = _mm512_add_ps(_mm512_shuffle_f32x4(v[i], v[i + 8], 0x44),
                         _mm512_shuffle_f32x4(v[i], v[i + 8], 0xEE));
  }
  __m512 u[4];  // of vectors i, i + 4, i + 8, i + 12 once the quarters are in order
  for (int i = 0; i < 4; ++i) {
    u[i] = _mm512_add_ps(_mm512_shuffle_f32x4(t[i], t[i + 4], 0x88),
                         _mm512_shuffle_f32x4(t[i], t[i + 4], 0xDD));
  }
  __m512 w[2];
  for (int i = 0; i < 2; ++i) {
    const __m512d a = _mm512_castps_pd(u[2 * i]), b = _mm512_castps_pd(u[2 * i + 1]);
    w[i] = _mm512_add_ps(_mm512_castpd_ps(_mm512_unpacklo_pd(a, b)),
                         _mm512_castpd_ps(_mm512_unpackhi_pd(a, b)));
  }
  const __m512 sums =
      _mm512_add_ps(_mm512_shuffle_ps(w[0], w[1], 0x88), _mm512_shuffle_ps(w[0], w[1], 0xDD));
  return _mm512_shuffle_f32x4(sums, sums, 0xD8);
}
static inline float Largest(Floats v) { return _mm512_reduce_max_ps(v); }
static inline bool AnyNan(Floats v) { return _mm512_cmp_ps_mask(v, v, _CMP_UNORD_Q) != 0; }
static inline bool AnyGreater(Floats a, Floats b) {
  return _mm512_cmp_ps_mask(a, b, _CMP_GT_OQ) != 0;
}

// Ties to even.
static inline Ints RoundToInt(Floats v) { return _mm512_cvtps_epi32(v); }
static inline Floats ToFloat(Ints v) { return _mm512_cvtepi32_ps(v); }
// Rounds x * factor to the nearest whole numbers, also returned as integers.
static inline Floats Whole(Floats x, float factor, Ints* whole) {
  *whole = RoundToInt(Mul(x, Broadcast(factor)));
  return ToFloat(*whole);
}
static inline Ints AddInts(Ints v, int32_t x) { return _mm512_add_epi32(v, _mm512_set1_epi32(x)); }

// v * 2^power.
static inline Floats ScaleByPower(Floats v, Ints power) {
  return _mm512_scalef_ps(v, _mm512_cvtepi32_ps(power));
}

static inline Floats SelectNegative(Floats sign, Floats negative, Floats other) {
  return _mm512_mask_mov_ps(other, _mm512_cmp_ps_mask(sign, _mm512_setzero_ps(), _CMP_LT_OQ),
                            negative);
}
static inline Floats SelectOdd(Ints n, Floats odd, Floats even) {
  return _mm512_mask_mov_ps(even, _mm512_test_epi32_mask(n, _mm512_set1_epi32(1)), odd);
}
static inline Floats NegateIfBit1(Floats v, Ints n) {
  const __m512i sign = _mm512_slli_epi32(_mm512_and_si512(n, _mm512_set1_epi32(2)), 30);
  return _mm512_xor_ps(v, _mm512_castsi512_ps(sign));
}

// 16-bit floats.
static inline Floats LoadHalf(const uint16_t* p) {
  return _mm512_cvtph_ps(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(p)));
}
static inline void StoreHalf(uint16_t* p, Floats v) {
  _mm256_storeu_si256(reinterpret_cast<__m256i*>(p),
                      _mm512_cvtps_ph(v, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC));
}
static inline Floats LoadBf16(const uint16_t* p) {
  const __m512i wide =
      _mm512_cvtepu16_epi32(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(p)));
  return _mm512_castsi512_ps(_mm512_slli_epi32(wide, 16));
}

// 8-bit integers: kLanes of them to floats, and back with ties to even, saturating.
static inline Floats LoadInt8(const int8_t* p) {
  const __m128i bytes = _mm_loadu_si128(reinterpret_cast<const __m128i*>(p));
  return _mm512_cvtepi32_ps(_mm512_cvtepi8_epi32(bytes));
}
static inline void StoreInt8(int8_t* p, Floats v) {
  _mm_storeu_si128(reinterpret_cast<__m128i*>(p), _mm512_cvtsepi32_epi8(_mm512_cvtps_epi32(v)));
}

// 32 at once, from 32 / kLanes vectors.
static inline void StoreInt8x32(int8_t* p, const Floats* v) {
  for (int i = 0; i < 32 / kLanes; ++i) StoreInt8(p + i * kLanes, v[i]);
}
static inline int32_t SumInt8x16(const int8_t* p) {
  // Sums of unsigned bytes, each of which is 128 too large.
  const __m128i bytes = _mm_loadu_si128(reinterpret_cast<const __m128i*>(p));
  const __m128i sums = _mm_sad_epu8(_mm_xor_si128(bytes, _mm_set1_epi8(static_cast<char>(0x80))),
                                    _mm_setzero_si128());
  return _mm_cvtsi128_si32(sums) + _mm_extract_epi32(sums, 2) - 16 * 128;
}

}  // namespace infer::simd::INFER_SIMD_LEVEL
