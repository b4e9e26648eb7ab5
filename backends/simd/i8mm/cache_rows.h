// SPDX-License-Identifier: Apache-2.0
//
// Splits positions of a cache into runs that are contiguous in memory.
#pragma once

#include <arm_neon.h>
#include <stdint.h>
#include <string.h>

#include "backends/simd/isa/attention_kernels.h"

namespace infer::simd::i8mm {
namespace {

constexpr int64_t kQ8BlockElements = 32;
constexpr int64_t kQ8BlockBytes = 34;  // an f16 scale and 32 int8

inline int64_t VectorBytes(DType dtype, int64_t head_dim) {
  return dtype == DType::kF32   ? head_dim * 4
         : dtype == DType::kF16 ? head_dim * 2
                                : head_dim / kQ8BlockElements * kQ8BlockBytes;
}

struct CacheRun {
  const std::byte* k;
  const std::byte* v;
  int64_t positions;
};

// Returns the run at `position`, limited by `end`, `most` positions and the end of its block.
inline CacheRun RunAt(const CacheHead& cache, int64_t head_dim, int64_t position, int64_t end,
                      int64_t most) {
  const int64_t offset = position % cache.block_positions;
  const int64_t block = cache.block_table[position / cache.block_positions];
  const int64_t at = block * static_cast<int64_t>(cache.block_stride_bytes) +
                     offset * VectorBytes(cache.dtype, head_dim);
  int64_t positions = cache.block_positions - offset;
  if (positions > end - position) positions = end - position;
  if (positions > most) positions = most;
  return {cache.k + at, cache.v + at, positions};
}

// Converts one vector of a q8_0 cache to f16, with one more rounding (2^-12): quants become halves
// exactly by putting 128 + q into the mantissa of 1024.
inline void HalvesFromQ8(const std::byte* from, int64_t head_dim, uint16_t* out) {
  for (int64_t i = 0; i < head_dim; i += kQ8BlockElements, from += kQ8BlockBytes) {
    uint16_t scale_bits;
    memcpy(&scale_bits, from, 2);
    const float16x8_t scale = vreinterpretq_f16_u16(vdupq_n_u16(scale_bits));
    const float16x8_t offset = vreinterpretq_f16_u16(vdupq_n_u16(0x6480));  // 1024 + 128
    for (int64_t j = 0; j < kQ8BlockElements; j += 16) {
      const uint8x16_t q =
          veorq_u8(vld1q_u8(reinterpret_cast<const uint8_t*>(from) + 2 + j), vdupq_n_u8(0x80));
      const uint8x16_t high = vdupq_n_u8(0x64);
      const float16x8_t low_half = vreinterpretq_f16_u8(vzip1q_u8(q, high));
      const float16x8_t high_half = vreinterpretq_f16_u8(vzip2q_u8(q, high));
      vst1q_u16(out + i + j, vreinterpretq_u16_f16(vmulq_f16(vsubq_f16(low_half, offset), scale)));
      vst1q_u16(out + i + j + 8,
                vreinterpretq_u16_f16(vmulq_f16(vsubq_f16(high_half, offset), scale)));
    }
  }
}

}  // namespace
}  // namespace infer::simd::i8mm
