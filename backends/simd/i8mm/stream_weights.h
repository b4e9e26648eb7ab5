// SPDX-License-Identifier: Apache-2.0
//
// What products of few rows share: weights pass through the registers once, as one stream.
#pragma once

#include <arm_neon.h>
#include <stddef.h>
#include <stdint.h>

namespace infer::simd::i8mm {
namespace {

// Weights are prefetched 16 KiB ahead, to L3 only: one token of Q8_0 reads 39 GB/s where the
// hardware's own prefetching gives 27. 4 KiB ahead gives 24, 8 KiB 33, 32 and 64 KiB 38.6; to L2
// 33; with a streaming hint 13.
constexpr int64_t kAheadBytes = 16 * 1024;

template <int64_t kBytes>
inline void FetchAhead(const std::byte* at) {
#pragma GCC unroll 32
  for (int64_t i = 0; i < kBytes; i += 64) __builtin_prefetch(at + kAheadBytes + i, 0, 1);
}

inline void WidenScales(const std::byte* at, float32x4_t (&out)[2]) {
  const float16x8_t scales = vld1q_f16(reinterpret_cast<const float16_t*>(at));
  out[0] = vcvt_f32_f16(vget_low_f16(scales));
  out[1] = vcvt_high_f32_f16(scales);
}

// {c0, c1, c0, c1} of column pair j.
inline float32x4_t ColumnPair(const float32x4_t (&scales)[2], int j) {
  const float64x2_t pairs = vreinterpretq_f64_f32(scales[j / 2]);
  return vreinterpretq_f32_f64(j % 2 == 0 ? vdupq_laneq_f64(pairs, 0) : vdupq_laneq_f64(pairs, 1));
}

}  // namespace
}  // namespace infer::simd::i8mm
