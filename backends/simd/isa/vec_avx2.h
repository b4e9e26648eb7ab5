// SPDX-License-Identifier: Apache-2.0
//
// vec.h for AVX2 with FMA and F16C: 8 floats.
#pragma once

#include <immintrin.h>

#include <cstdint>

namespace infer::simd::INFER_SIMD_LEVEL {

using Floats = __m256;
using Ints = __m256i;
constexpr int kLanes = 8;

static inline Floats Broadcast(float x) { return _mm256_set1_ps(x); }
static inline Floats Load(const float* p) { return _mm256_loadu_ps(p); }
static inline void Store(float* p, Floats v) { _mm256_storeu_ps(p, v); }
static inline __m256i PartMask(int64_t n) {
  return _mm256_cmpgt_epi32(_mm256_set1_epi32(static_cast<int>(n)),
                            _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7));
}
// Loads the first n < kLanes elements; the other lanes are zero.
static inline Floats LoadPart(const float* p, int64_t n) {
  return _mm256_maskload_ps(p, PartMask(n));
}
static inline void StorePart(float* p, Floats v, int64_t n) {
  _mm256_maskstore_ps(p, PartMask(n), v);
}

static inline Floats Add(Floats a, Floats b) { return _mm256_add_ps(a, b); }
static inline Floats Sub(Floats a, Floats b) { return _mm256_sub_ps(a, b); }
static inline Floats Mul(Floats a, Floats b) { return _mm256_mul_ps(a, b); }
static inline Floats Div(Floats a, Floats b) { return _mm256_div_ps(a, b); }
static inline Floats Fma(Floats a, Floats b, Floats c) { return _mm256_fmadd_ps(a, b, c); }
static inline Floats Abs(Floats a) { return _mm256_andnot_ps(_mm256_set1_ps(-0.0f), a); }
// A NaN in `b` is kept; the result of a NaN in `a` differs between levels.
static inline Floats Max(Floats a, Floats b) { return _mm256_max_ps(a, b); }
static inline Floats Min(Floats a, Floats b) { return _mm256_min_ps(a, b); }

// Adds the lanes in a fixed order: halves, quarters, pairs.
static inline float Sum(Floats v) {
  __m128 s = _mm_add_ps(_mm256_castps256_ps128(v), _mm256_extractf128_ps(v, 1));
  s = _mm_add_ps(s, _mm_movehl_ps(s, s));
  return _mm_cvtss_f32(_mm_add_ss(s, _mm_movehdup_ps(s)));
}
// The sums of kLanes vectors, each with the bits of Sum: the halves of two vectors are added at
// once, then the quarters of four, then the pairs of eight.
static inline Floats SumEach(const Floats* v) {
  __m256 t[4];
  for (int i = 0; i < 4; ++i) {
    t[i] = _mm256_add_ps(_mm256_permute2f128_ps(v[i], v[i + 4], 0x20),
                         _mm256_permute2f128_ps(v[i], v[i + 4], 0x31));
  }
  __m256 w[2];
  for (int i = 0; i < 2; ++i) {
    const __m256d a = _mm256_castps_pd(t[2 * i]), b = _mm256_castps_pd(t[2 * i + 1]);
    w[i] = _mm256_add_ps(_mm256_castpd_ps(_mm256_unpacklo_pd(a, b)),
                         _mm256_castpd_ps(_mm256_unpackhi_pd(a, b)));
  }
  return _mm256_add_ps(_mm256_shuffle_ps(w[0], w[1], 0x88), _mm256_shuffle_ps(w[0], w[1], 0xDD));
}
static inline float Largest(Floats v) {
  __m128 s = _mm_max_ps(_mm256_castps256_ps128(v), _mm256_extractf128_ps(v, 1));
  s = _mm_max_ps(s, _mm_movehl_ps(s, s));
  return _mm_cvtss_f32(_mm_max_ss(s, _mm_movehdup_ps(s)));
}
static inline bool AnyNan(Floats v) {
  return _mm256_movemask_ps(_mm256_cmp_ps(v, v, _CMP_UNORD_Q)) != 0;
}
static inline bool AnyGreater(Floats a, Floats b) {
  return _mm256_movemask_ps(_mm256_cmp_ps(a, b, _CMP_GT_OQ)) != 0;
}

// Ties to even.
static inline Ints RoundToInt(Floats v) { return _mm256_cvtps_epi32(v); }
static inline Floats ToFloat(Ints v) { return _mm256_cvtepi32_ps(v); }
// Rounds x * factor to the nearest whole numbers, also returned as integers.
static inline Floats Whole(Floats x, float factor, Ints* whole) {
  *whole = RoundToInt(Mul(x, Broadcast(factor)));
  return ToFloat(*whole);
}
static inline Ints AddInts(Ints v, int32_t x) { return _mm256_add_epi32(v, _mm256_set1_epi32(x)); }

// Returns v * 2^power for powers from -150 to 128, in two steps because 2^-150 is not a float.
static inline Floats ScaleByPower(Floats v, Ints power) {
  const Ints half = _mm256_srai_epi32(power, 1);
  const Ints rest = _mm256_sub_epi32(power, half);
  v = _mm256_mul_ps(v, _mm256_castsi256_ps(_mm256_slli_epi32(AddInts(half, 127), 23)));
  return _mm256_mul_ps(v, _mm256_castsi256_ps(_mm256_slli_epi32(AddInts(rest, 127), 23)));
}

static inline Floats SelectNegative(Floats sign, Floats negative, Floats other) {
  return _mm256_blendv_ps(other, negative, _mm256_cmp_ps(sign, _mm256_setzero_ps(), _CMP_LT_OQ));
}
static inline Floats SelectOdd(Ints n, Floats odd, Floats even) {
  return _mm256_blendv_ps(even, odd, _mm256_castsi256_ps(_mm256_slli_epi32(n, 31)));
}
static inline Floats NegateIfBit1(Floats v, Ints n) {
  const __m256i sign = _mm256_slli_epi32(_mm256_and_si256(n, _mm256_set1_epi32(2)), 30);
  return _mm256_xor_ps(v, _mm256_castsi256_ps(sign));
}

// 16-bit floats.
static inline Floats LoadHalf(const uint16_t* p) {
  return _mm256_cvtph_ps(_mm_loadu_si128(reinterpret_cast<const __m128i*>(p)));
}
static inline void StoreHalf(uint16_t* p, Floats v) {
  _mm_storeu_si128(reinterpret_cast<__m128i*>(p),
                   _mm256_cvtps_ph(v, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC));
}
static inline Floats LoadBf16(const uint16_t* p) {
  const __m256i wide = _mm256_cvtepu16_epi32(_mm_loadu_si128(reinterpret_cast<const __m128i*>(p)));
  return _mm256_castsi256_ps(_mm256_slli_epi32(wide, 16));
}

// 8-bit integers: kLanes of them to floats, and back with ties to even, saturating.
static inline Floats LoadInt8(const int8_t* p) {
  const __m128i bytes = _mm_loadl_epi64(reinterpret_cast<const __m128i*>(p));
  return _mm256_cvtepi32_ps(_mm256_cvtepi8_epi32(bytes));
}
static inline void StoreInt8(int8_t* p, Floats v) {
  const __m256i wide = _mm256_cvtps_epi32(v);
  const __m128i narrow =
      _mm_packs_epi32(_mm256_castsi256_si128(wide), _mm256_extracti128_si256(wide, 1));
  _mm_storel_epi64(reinterpret_cast<__m128i*>(p), _mm_packs_epi16(narrow, narrow));
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
