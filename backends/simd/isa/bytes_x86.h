// SPDX-License-Identifier: Apache-2.0
//
// bytes.h for AVX2, using VNNI if the level has it. 256 bits at both levels: a block of 32 fills
// one register, and products with one token are memory-bound.
#pragma once

#include <immintrin.h>

#include <cstdint>

namespace infer::simd::INFER_SIMD_LEVEL {

using Bytes16 = __m128i;
using Bytes32 = __m256i;

// Weight rows and tokens that a product processes at once: sums, weights and activations fill the
// 16 (AVX2) or 32 (AVX-512) registers.
#if defined(__AVX512VL__)
constexpr int kTileRows = 4;
constexpr int kTileTokens = 4;
#else
constexpr int kTileRows = 4;
constexpr int kTileTokens = 2;
#endif

static inline float HalfToFloat(uint16_t bits) {
  return _mm_cvtss_f32(_mm_cvtph_ps(_mm_cvtsi32_si128(bits)));
}

static inline Bytes16 Load16(const void* p) {
  return _mm_loadu_si128(static_cast<const __m128i*>(p));
}
static inline Bytes32 Load32(const void* p) {
  return _mm256_loadu_si256(static_cast<const __m256i*>(p));
}

// Returns the low halves of 16 bytes, then their high halves.
static inline Bytes32 SplitNibbles(Bytes16 v) {
  const __m256i both = _mm256_set_m128i(_mm_srli_epi16(v, 4), v);
  return _mm256_and_si256(both, _mm256_set1_epi8(15));
}
// (v >> kShift) & kMask in each byte.
template <int kShift, int kMask>
static inline Bytes32 Field(Bytes32 v) {
  return _mm256_and_si256(_mm256_srli_epi16(v, kShift), _mm256_set1_epi8(kMask));
}
// v << kShift, for bytes whose high bits are zero.
template <int kShift>
static inline Bytes32 ShiftLeft(Bytes32 v) {
  return _mm256_slli_epi16(v, kShift);
}
static inline Bytes32 Or(Bytes32 a, Bytes32 b) { return _mm256_or_si256(a, b); }
static inline Bytes32 Subtract(Bytes32 v, uint8_t x) {
  return _mm256_sub_epi8(v, _mm256_set1_epi8(static_cast<char>(x)));
}
static inline Bytes32 Lookup(Bytes16 table, Bytes32 indices) {
  return _mm256_shuffle_epi8(_mm256_broadcastsi128_si256(table), indices);
}
// Returns `value` in byte i if bit i of the four bytes at p is set, else 0.
static inline Bytes32 SpreadBits(const uint8_t* p, uint8_t value) {
  int32_t bits;
  __builtin_memcpy(&bits, p, sizeof(bits));
  const __m256i byte_of =
      _mm256_setr_epi64x(0, 0x0101010101010101, 0x0202020202020202, 0x0303030303030303);
  const __m256i bit = _mm256_set1_epi64x(static_cast<int64_t>(0x8040201008040201));
  const __m256i spread =
      _mm256_and_si256(_mm256_shuffle_epi8(_mm256_set1_epi32(bits), byte_of), bit);
  return _mm256_and_si256(_mm256_cmpeq_epi8(spread, bit),
                          _mm256_set1_epi8(static_cast<char>(value)));
}

// Sums of 4 adjacent products; the activations x are between -127 and 127. The instructions
// multiply unsigned by signed bytes. VNNI: signed weights are the signed operand and x + 128 the
// unsigned one, and 128 * w is subtracted. AVX2 saturates sums of two products at 32767, so there
// the unsigned operand is |w| and x takes the sign.
template <bool kSigned>
static inline __m256i Dot4(__m256i w, __m256i x) {
#if defined(__AVX512VNNI__)
  const __m256i zero = _mm256_setzero_si256();
  if constexpr (!kSigned) return _mm256_dpbusd_epi32(zero, w, x);
  const __m256i offset = _mm256_set1_epi8(static_cast<char>(0x80));
  const __m256i shifted = _mm256_dpbusd_epi32(zero, _mm256_xor_si256(x, offset), w);
  return _mm256_sub_epi32(shifted, _mm256_dpbusd_epi32(zero, offset, w));
#else
  if constexpr (kSigned) {
    x = _mm256_sign_epi8(x, w);
    w = _mm256_abs_epi8(w);
  }
  return _mm256_madd_epi16(_mm256_maddubs_epi16(w, x), _mm256_set1_epi16(1));
#endif
}

// Scales, and minima where a format has them, of one block of kRows weight rows.
template <int kRows, int kGroups>
struct TileScales {
  float scale[kGroups][kRows];
  float min[kRows][kGroups];

  void Set(int row, const float* scales, const float* mins) {
    for (int g = 0; g < kGroups; ++g) scale[g][row] = scales[g];
    if (mins == nullptr) return;
    for (int g = 0; g < kGroups; ++g) min[row][g] = mins[g];
  }
};

// The products of kRows weight rows with one token, as partial sums in float.
template <int kRows>
struct RowSums {
  __m256 sums[kRows];
  float mins[kRows];  // for formats with one minimum per block

  void Clear() {
    for (int r = 0; r < kRows; ++r) {
      sums[r] = _mm256_setzero_ps();
      mins[r] = 0;
    }
  }

  // Weights are signed bytes, or unsigned ones up to 127.
  template <bool kSigned>
  [[gnu::always_inline]] inline void Add32(const Bytes32 (&w)[kRows], Bytes32 x,
                                           const float* scales, float x_scale) {
    for (int r = 0; r < kRows; ++r) {
      const __m256 dot = _mm256_cvtepi32_ps(Dot4<kSigned>(w[r], x));
      sums[r] = _mm256_fmadd_ps(dot, _mm256_set1_ps(scales[r] * x_scale), sums[r]);
    }
  }
  // The same with one scale per 16 elements.
  template <bool kSigned>
  [[gnu::always_inline]] inline void Add16(const Bytes32 (&w)[kRows], Bytes32 x, const float* low,
                                           const float* high, float x_scale) {
    for (int r = 0; r < kRows; ++r) {
      const __m256 scales =
          _mm256_set_m128(_mm_set1_ps(high[r] * x_scale), _mm_set1_ps(low[r] * x_scale));
      sums[r] = _mm256_fmadd_ps(_mm256_cvtepi32_ps(Dot4<kSigned>(w[r], x)), scales, sums[r]);
    }
  }
  // Adds the minima times the sums of the groups' activations.
  template <int kGroups>
  void AddMins(const TileScales<kRows, kGroups>& scales, const float* x_sums) {
    for (int r = 0; r < kRows; ++r) {
      if constexpr (kGroups == 1) {
        mins[r] += scales.min[r][0] * x_sums[0];
      } else {
        for (int g = 0; g < kGroups; g += 8) {
          sums[r] = _mm256_fmadd_ps(_mm256_loadu_ps(scales.min[r] + g), _mm256_loadu_ps(x_sums + g),
                                    sums[r]);
        }
      }
    }
  }
  void Store(float* out) const {
    for (int r = 0; r < kRows; ++r) out[r] = TotalOf(sums[r]) + mins[r];
  }

 private:
  static float TotalOf(__m256 v) {
    __m128 s = _mm_add_ps(_mm256_castps256_ps128(v), _mm256_extractf128_ps(v, 1));
    s = _mm_add_ps(s, _mm_movehl_ps(s, s));
    return _mm_cvtss_f32(_mm_add_ss(s, _mm_movehdup_ps(s)));
  }
};

}  // namespace infer::simd::INFER_SIMD_LEVEL
