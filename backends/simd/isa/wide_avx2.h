// SPDX-License-Identifier: Apache-2.0
//
// wide.h for AVX2: two registers, with 256-bit VNNI if the level has it.
#pragma once

#include <immintrin.h>

#include <cstddef>
#include <cstdint>

namespace infer::simd::INFER_SIMD_LEVEL {

struct Floats16 {
  __m256 part[2];
};
struct Ints16 {
  __m256i part[2];
};
using Bytes64 = Ints16;

// With 16 registers: the integer sums of 4 rows and 16 columns, or of 2 rows and 32; the sums in
// float are in memory.
constexpr int kWideRows = 4;
constexpr int kBothHalvesRows = 2;

static inline Floats16 Set16(float x) { return {{_mm256_set1_ps(x), _mm256_set1_ps(x)}}; }
static inline Floats16 LoadF32x16(const float* p) {
  return {{_mm256_loadu_ps(p), _mm256_loadu_ps(p + 8)}};
}
static inline Floats16 LoadF16x16(const void* p) {
  const auto* half = static_cast<const __m128i*>(p);
  return {{_mm256_cvtph_ps(_mm_loadu_si128(half)), _mm256_cvtph_ps(_mm_loadu_si128(half + 1))}};
}
static inline Floats16 LoadInt8x16(const void* p) {
  const __m128i bytes = _mm_loadu_si128(static_cast<const __m128i*>(p));
  return {{_mm256_cvtepi32_ps(_mm256_cvtepi8_epi32(bytes)),
           _mm256_cvtepi32_ps(_mm256_cvtepi8_epi32(_mm_srli_si128(bytes, 8)))}};
}
static inline Bytes64 LoadBytes64(const void* p) {
  const auto* at = static_cast<const __m256i*>(p);
  return {{_mm256_loadu_si256(at), _mm256_loadu_si256(at + 1)}};
}
// 16 pairs of bf16: the first and the second of each pair.
static inline Floats16 LoadBf16Even(const void* p) {
  const Bytes64 v = LoadBytes64(p);
  return {{_mm256_castsi256_ps(_mm256_slli_epi32(v.part[0], 16)),
           _mm256_castsi256_ps(_mm256_slli_epi32(v.part[1], 16))}};
}
static inline Floats16 LoadBf16Odd(const void* p) {
  const Bytes64 v = LoadBytes64(p);
  const __m256i high = _mm256_set1_epi32(static_cast<int>(0xffff0000u));
  return {{_mm256_castsi256_ps(_mm256_and_si256(v.part[0], high)),
           _mm256_castsi256_ps(_mm256_and_si256(v.part[1], high))}};
}
static inline void Store16(float* p, Floats16 v) {
  _mm256_storeu_ps(p, v.part[0]);
  _mm256_storeu_ps(p + 8, v.part[1]);
}
static inline void StorePart16(float* p, Floats16 v, int64_t n) {
  float lanes[16];
  Store16(lanes, v);
  for (int64_t i = 0; i < n; ++i) p[i] = lanes[i];
}
static inline Floats16 Mul16(Floats16 a, Floats16 b) {
  return {{_mm256_mul_ps(a.part[0], b.part[0]), _mm256_mul_ps(a.part[1], b.part[1])}};
}
static inline Floats16 Fma16(Floats16 a, Floats16 b, Floats16 c) {
  return {{_mm256_fmadd_ps(a.part[0], b.part[0], c.part[0]),
           _mm256_fmadd_ps(a.part[1], b.part[1], c.part[1])}};
}
static inline Floats16 ToFloat16(Ints16 v) {
  return {{_mm256_cvtepi32_ps(v.part[0]), _mm256_cvtepi32_ps(v.part[1])}};
}

static inline void StoreBytes64(void* p, Bytes64 v) {
  auto* at = static_cast<__m256i*>(p);
  _mm256_storeu_si256(at, v.part[0]);
  _mm256_storeu_si256(at + 1, v.part[1]);
}
// (v >> kShift) & kMask in each byte.
template <int kShift, int kMask>
static inline Bytes64 Field64(Bytes64 v) {
  const __m256i mask = _mm256_set1_epi8(kMask);
  return {{_mm256_and_si256(_mm256_srli_epi16(v.part[0], kShift), mask),
           _mm256_and_si256(_mm256_srli_epi16(v.part[1], kShift), mask)}};
}
// Bits [kFrom, kFrom + kBits) of each byte of `high`, moved to kTo, or-ed to `low`.
template <int kFrom, int kBits, int kTo>
static inline Bytes64 OrField64(Bytes64 low, Bytes64 high) {
  const __m256i mask = _mm256_set1_epi8(((1 << kBits) - 1) << kTo);
  Bytes64 out;
  for (int i = 0; i < 2; ++i) {
    const __m256i moved = kFrom > kTo
                              ? _mm256_srli_epi16(high.part[i], kFrom > kTo ? kFrom - kTo : 0)
                              : _mm256_slli_epi16(high.part[i], kTo > kFrom ? kTo - kFrom : 0);
    out.part[i] = _mm256_or_si256(low.part[i], _mm256_and_si256(moved, mask));
  }
  return out;
}
static inline Bytes64 Lookup64(const int8_t* table, Bytes64 indices) {
  const __m256i entries =
      _mm256_broadcastsi128_si256(_mm_loadu_si128(reinterpret_cast<const __m128i*>(table)));
  return {{_mm256_shuffle_epi8(entries, indices.part[0]),
           _mm256_shuffle_epi8(entries, indices.part[1])}};
}
// Adds to each byte, modulo 256.
static inline Bytes64 Shift64(Bytes64 v, int by) {
  const __m256i each = _mm256_set1_epi8(static_cast<char>(by));
  return {{_mm256_add_epi8(v.part[0], each), _mm256_add_epi8(v.part[1], each)}};
}
static inline void FetchAhead(const std::byte* p) {
  _mm_prefetch(reinterpret_cast<const char*>(p), _MM_HINT_T1);
}

#if defined(__AVXVNNI__)

// As in wide_avx512.h.
constexpr int kSignedOffset = 128;
constexpr bool kAnyBytesAlike = true;
template <bool kSigned>
struct Weights64 {
  __m256i bytes[2];
  explicit Weights64(Bytes64 w) {
    const __m256i flip = _mm256_set1_epi8(static_cast<char>(0x80));
    for (int i = 0; i < 2; ++i) {
      bytes[i] = kSigned ? _mm256_xor_si256(w.part[i], flip) : w.part[i];
    }
  }
};

template <bool kSigned, int kLargest, int kGroupSteps>
struct Dots16 {
  Ints16 sums;
  void Start(int32_t start) { sums = {{_mm256_set1_epi32(start), _mm256_set1_epi32(start)}}; }
  template <int kStep>
  [[gnu::always_inline]] inline void Add(const Weights64<kSigned>& w, const int8_t* chunk) {
    int32_t four;
    __builtin_memcpy(&four, chunk + kStep * 4, sizeof(four));
    const __m256i each = _mm256_set1_epi32(four);
    for (int i = 0; i < 2; ++i) {
      sums.part[i] = _mm256_dpbusd_avx_epi32(sums.part[i], w.bytes[i], each);
    }
  }
  Floats16 Total() const { return ToFloat16(sums); }
};

#else

// maddubs multiplies unsigned by signed bytes and saturates sums of two products at 32767: of a
// signed weight it takes the magnitude, and the activation takes the sign.
constexpr int kSignedOffset = 0;
constexpr bool kAnyBytesAlike = false;
template <bool kSigned>
struct Weights64 {
  __m256i bytes[2];
  __m256i signs[2];
  explicit Weights64(Bytes64 w) {
    for (int i = 0; i < 2; ++i) {
      bytes[i] = kSigned ? _mm256_abs_epi8(w.part[i]) : w.part[i];
      signs[i] = w.part[i];
    }
  }
};

// As in wide_avx512.h. Small weights are added up in 16 bits for as many steps as cannot overflow.
template <bool kSigned, int kLargest, int kGroupSteps>
struct Dots16 {
  static constexpr int kLimit = 32767 / (2 * 127 * kLargest);
  static_assert(kLimit > 0);
  static constexpr int kFit = kLimit >= 8 ? 8 : kLimit >= 4 ? 4 : kLimit >= 2 ? 2 : 1;
  static constexpr int kSteps = kFit < kGroupSteps ? kFit : kGroupSteps;

  Ints16 pairs;  // sums of pairs in 16 bits
  Ints16 sums;
  void Start(int32_t start) { sums = {{_mm256_set1_epi32(start), _mm256_set1_epi32(start)}}; }
  template <int kStep>
  [[gnu::always_inline]] inline void Add(const Weights64<kSigned>& w, const int8_t* chunk) {
    int32_t four;
    __builtin_memcpy(&four, chunk + kStep * 4, sizeof(four));
    const __m256i each = _mm256_set1_epi32(four);
    for (int i = 0; i < 2; ++i) {
      const __m256i signed_x = kSigned ? _mm256_sign_epi8(each, w.signs[i]) : each;
      const __m256i products = _mm256_maddubs_epi16(w.bytes[i], signed_x);
      pairs.part[i] = kStep % kSteps == 0 ? products : _mm256_add_epi16(pairs.part[i], products);
      if (kStep % kSteps == kSteps - 1) {
        sums.part[i] =
            _mm256_add_epi32(sums.part[i], _mm256_madd_epi16(pairs.part[i], _mm256_set1_epi16(1)));
      }
    }
  }
  Floats16 Total() const { return ToFloat16(sums); }
};

#endif

}  // namespace infer::simd::INFER_SIMD_LEVEL
