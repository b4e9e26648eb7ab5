// SPDX-License-Identifier: Apache-2.0
//
// The thin header of AMX: tiles of 16 rows of 64 bytes. While a Tiles object lives, the thread's
// tiles are configured; they are released with it, because a thread that keeps them makes every
// switch to it more expensive.
//
// With INFER_SIMD_PLAIN the object holds the tiles, and plain loops compute what the instructions
// do, in the same order.
#pragma once

#if !defined(INFER_SIMD_PLAIN)
#include <immintrin.h>
#endif

#include <cstddef>
#include <cstdint>

namespace infer::simd::INFER_SIMD_LEVEL {

#if defined(INFER_SIMD_PLAIN)

class Tiles {
 public:
  template <int kTile>
  void Zero() {
    __builtin_memset(tile_[kTile], 0, sizeof(tile_[kTile]));
  }
  template <int kTile>
  void Load(const void* from, int64_t stride_bytes) {
    for (int r = 0; r < 16; ++r) {
      __builtin_memcpy(tile_[kTile][r], static_cast<const std::byte*>(from) + r * stride_bytes, 64);
    }
  }
  template <int kTile>
  void Store(float* to, int64_t stride_bytes) {
    for (int r = 0; r < 16; ++r) {
      __builtin_memcpy(reinterpret_cast<std::byte*>(to) + r * stride_bytes, tile_[kTile][r], 64);
    }
  }
  // Adds the product of 16 rows of 32 bf16 with 16 columns, whose elements are in pairs. The even
  // and the odd elements are added up apart.
  template <int kSum, int kA, int kB>
  void DotBf16() {
    for (int m = 0; m < 16; ++m) {
      for (int n = 0; n < 16; ++n) {
        float even = 0, odd = 0;
        for (int k = 0; k < 16; ++k) {
          even = __builtin_fmaf(Bf16(kA, m, 2 * k), Bf16(kB, k, 2 * n), even);
          odd = __builtin_fmaf(Bf16(kA, m, 2 * k + 1), Bf16(kB, k, 2 * n + 1), odd);
        }
        float sum;
        __builtin_memcpy(&sum, &tile_[kSum][m][4 * n], sizeof(sum));
        sum += even + odd;
        __builtin_memcpy(&tile_[kSum][m][4 * n], &sum, sizeof(sum));
      }
    }
  }

 private:
  float Bf16(int tile, int row, int i) const {
    uint16_t half;
    __builtin_memcpy(&half, &tile_[tile][row][2 * i], sizeof(half));
    const uint32_t bits = static_cast<uint32_t>(half) << 16;
    float x;
    __builtin_memcpy(&x, &bits, sizeof(x));
    return x;
  }

  uint8_t tile_[4][16][64];
};

struct FlushDenormals {
  FlushDenormals() {}
};

#else

class Tiles {
 public:
  Tiles() {
    struct alignas(64) {
      uint8_t palette = 1;
      uint8_t start_row = 0;
      uint8_t reserved[14] = {};
      uint16_t bytes_of_row[16] = {64, 64, 64, 64};
      uint8_t rows[16] = {16, 16, 16, 16};
    } config;
    asm volatile("ldtilecfg %0" : : "m"(config));
  }
  ~Tiles() { asm volatile("tilerelease"); }
  Tiles(const Tiles&) = delete;
  Tiles& operator=(const Tiles&) = delete;

  template <int kTile>
  [[gnu::always_inline]] inline void Zero() {
    asm volatile("tilezero %%tmm%c0" : : "i"(kTile));
  }
  template <int kTile>
  [[gnu::always_inline]] inline void Load(const void* from, int64_t stride_bytes) {
    asm volatile("tileloadd (%0,%1,1), %%tmm%c2"
                 :
                 : "r"(from), "r"(stride_bytes), "i"(kTile)
                 : "memory");
  }
  template <int kTile>
  [[gnu::always_inline]] inline void Store(float* to, int64_t stride_bytes) {
    asm volatile("tilestored %%tmm%c2, (%0,%1,1)"
                 :
                 : "r"(to), "r"(stride_bytes), "i"(kTile)
                 : "memory");
  }
  template <int kSum, int kA, int kB>
  [[gnu::always_inline]] inline void DotBf16() {
    asm volatile("tdpbf16ps %%tmm%c2, %%tmm%c1, %%tmm%c0" : : "i"(kSum), "i"(kA), "i"(kB));
  }
};

// While it lives, vector instructions take and give zero for denormal numbers, as those of tiles
// always do: what both compute has the same bits.
class FlushDenormals {
 public:
  FlushDenormals() : before_(_mm_getcsr()) {
    constexpr unsigned kFlushToZero = 0x8000, kDenormalsAreZero = 0x40;
    _mm_setcsr(before_ | kFlushToZero | kDenormalsAreZero);
  }
  ~FlushDenormals() { _mm_setcsr(before_); }
  FlushDenormals(const FlushDenormals&) = delete;
  FlushDenormals& operator=(const FlushDenormals&) = delete;

 private:
  unsigned before_;
};

#endif

}  // namespace infer::simd::INFER_SIMD_LEVEL
