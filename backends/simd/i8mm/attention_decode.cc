// SPDX-License-Identifier: Apache-2.0
//
// Attention of one token over f16 or q8_0 positions, in blocks of 32 positions: K and V of a block
// stay in L1 while all query heads of the group pass, two at a time.
#include <arm_neon.h>
#include <float.h>
#include <math.h>
#include <stdint.h>
#include <string.h>

#include "backends/simd/i8mm/attention_paths.h"
#include "backends/simd/i8mm/cache_rows.h"
#include "backends/simd/i8mm/exp2.h"
#include "backends/simd/i8mm/row_scale.h"

namespace infer::simd::i8mm {
namespace {

constexpr int kBlock = 32;  // positions: K and V with 128 elements are 8 KiB each
// K and V are prefetched this far ahead, to L3 only: 20.0 GB/s instead of 18.9 over 4096 positions
// (25 from cache). 32 positions give 19.7, 128 and 256 the same as 64; to L2 16.1.
constexpr int64_t kAheadPositions = 2 * kBlock;

inline float16x8_t LoadHalves(const uint16_t* p) { return vreinterpretq_f16_u16(vld1q_u16(p)); }

// The memory of a call.
struct Scratch {
  float* scores;      // [2][kBlock]
  float* factors;     // [group_heads], the factor of a head's products
  uint16_t* weights;  // [2][kBlock], f16
  uint16_t* q;        // [group_heads][head_dim], f16
  uint16_t* k;        // [kBlock][head_dim], f16: a block that is short or not f16
  uint16_t* v;
};

uint64_t Padded(uint64_t bytes) { return (bytes + 63) / 64 * 64; }

Scratch Divide(const AttentionCall& call) {
  const uint64_t head_bytes = static_cast<uint64_t>(call.head_dim) * 2;
  std::byte* at = call.scratch;
  const auto take = [&at](uint64_t bytes) {
    std::byte* taken = at;
    at += Padded(bytes);
    return taken;
  };
  Scratch s;
  s.scores = reinterpret_cast<float*>(take(2 * kBlock * 4));
  s.factors = reinterpret_cast<float*>(take(static_cast<uint64_t>(call.group_heads) * 4));
  s.weights = reinterpret_cast<uint16_t*>(take(2 * kBlock * 2));
  s.q = reinterpret_cast<uint16_t*>(take(static_cast<uint64_t>(call.group_heads) * head_bytes));
  s.k = reinterpret_cast<uint16_t*>(take(kBlock * head_bytes));
  s.v = reinterpret_cast<uint16_t*>(take(kBlock * head_bytes));
  return s;
}

// Converts query heads to f16, scaled by a power of two that keeps them in range.
void MakeQueries(const AttentionCall& call, const Scratch& s) {
  for (int64_t h = 0; h < call.group_heads; ++h) {
    const float* q = call.q + h * call.head_dim;
    const int move = 10 - Clamp(LargestExponent(q, call.head_dim), -100, 120);
    const float factor = PowerOfTwo(move);
    s.factors[h] = PowerOfTwo(-move) * call.scale * kLog2E;
    for (int64_t d = 0; d < call.head_dim; d += 4) {
      vst1_u16(s.q + h * call.head_dim + d,
               vreinterpret_u16_f16(vcvt_f16_f32(vmulq_n_f32(vld1q_f32(q + d), factor))));
    }
  }
}

// Computes the scores of 4 positions for kHeads heads; every product has its own chain.
template <int kHeads>
inline void ScoreFour(const uint16_t* k, const uint16_t* q, int64_t head_dim, const float* factors,
                      float* scores) {
  float32x4_t low[kHeads][4], high[kHeads][4];
#pragma GCC unroll 2
  for (int h = 0; h < kHeads; ++h) {
#pragma GCC unroll 4
    for (int i = 0; i < 4; ++i) low[h][i] = high[h][i] = vdupq_n_f32(0);
  }
#pragma GCC unroll 2
  for (int64_t d = 0; d < head_dim; d += 8) {
    float16x8_t query[kHeads];
#pragma GCC unroll 2
    for (int h = 0; h < kHeads; ++h) query[h] = LoadHalves(q + h * head_dim + d);
#pragma GCC unroll 4
    for (int i = 0; i < 4; ++i) {
      const float16x8_t key = LoadHalves(k + i * head_dim + d);
#pragma GCC unroll 2
      for (int h = 0; h < kHeads; ++h) {
        low[h][i] = vfmlalq_low_f16(low[h][i], key, query[h]);
        high[h][i] = vfmlalq_high_f16(high[h][i], key, query[h]);
      }
    }
  }
#pragma GCC unroll 2
  for (int h = 0; h < kHeads; ++h) {
#pragma GCC unroll 4
    for (int i = 0; i < 4; ++i) low[h][i] = vaddq_f32(low[h][i], high[h][i]);
    const float32x4_t sums =
        vpaddq_f32(vpaddq_f32(low[h][0], low[h][1]), vpaddq_f32(low[h][2], low[h][3]));
    vst1q_f32(scores + h * kBlock, vmulq_n_f32(sums, factors[h]));
  }
}

// Adds position kLane of 8, multiplied by its weights, to kVectors * 8 elements of each head.
template <int kHeads, int kVectors, int kLane>
inline void AddValue(float32x4_t (&sums)[kHeads][2 * kVectors], const uint16_t* v,
                     const float16x8_t (&weights)[kHeads]) {
#pragma GCC unroll 4
  for (int j = 0; j < kVectors; ++j) {
    const float16x8_t value = LoadHalves(v + j * 8);
#pragma GCC unroll 2
    for (int h = 0; h < kHeads; ++h) {
      sums[h][2 * j] = vfmlalq_laneq_low_f16(sums[h][2 * j], value, weights[h], kLane);
      sums[h][2 * j + 1] = vfmlalq_laneq_high_f16(sums[h][2 * j + 1], value, weights[h], kLane);
    }
  }
}

template <int kHeads, int kVectors>
inline void AddValues(const uint16_t* v, const uint16_t* weights, int64_t positions,
                      int64_t head_dim, float* out) {
  float32x4_t sums[kHeads][2 * kVectors];
#pragma GCC unroll 2
  for (int h = 0; h < kHeads; ++h) {
#pragma GCC unroll 8
    for (int j = 0; j < 2 * kVectors; ++j) sums[h][j] = vld1q_f32(out + h * head_dim + 4 * j);
  }
  for (int64_t i = 0; i < positions; i += 8, v += 8 * head_dim) {
    float16x8_t w[kHeads];
#pragma GCC unroll 2
    for (int h = 0; h < kHeads; ++h) w[h] = LoadHalves(weights + h * kBlock + i);
    AddValue<kHeads, kVectors, 0>(sums, v, w);
    AddValue<kHeads, kVectors, 1>(sums, v + head_dim, w);
    AddValue<kHeads, kVectors, 2>(sums, v + 2 * head_dim, w);
    AddValue<kHeads, kVectors, 3>(sums, v + 3 * head_dim, w);
    AddValue<kHeads, kVectors, 4>(sums, v + 4 * head_dim, w);
    AddValue<kHeads, kVectors, 5>(sums, v + 5 * head_dim, w);
    AddValue<kHeads, kVectors, 6>(sums, v + 6 * head_dim, w);
    AddValue<kHeads, kVectors, 7>(sums, v + 7 * head_dim, w);
  }
#pragma GCC unroll 2
  for (int h = 0; h < kHeads; ++h) {
#pragma GCC unroll 8
    for (int j = 0; j < 2 * kVectors; ++j) vst1q_f32(out + h * head_dim + 4 * j, sums[h][j]);
  }
}

// Converts scores to weights; rescales the head's sums to the new maximum.
void UpdateHead(const float* scores, int64_t padded, int64_t head_dim, uint16_t* weights,
                float* max, float* sum, float* out) {
  float32x4_t largest = vld1q_f32(scores), largest1 = vld1q_f32(scores + 4);
  for (int64_t i = 8; i < padded; i += 8) {
    largest = vmaxq_f32(largest, vld1q_f32(scores + i));
    largest1 = vmaxq_f32(largest1, vld1q_f32(scores + i + 4));
  }
  const float block_max = vmaxvq_f32(vmaxq_f32(largest, largest1));
  const float before = *max;
  const float now = block_max > before || block_max != block_max ? block_max : before;
  float32x4_t sums = vdupq_n_f32(0), sums1 = sums;
  for (int64_t i = 0; i < padded; i += 8) {
    const float32x4_t w = Exp2(vsubq_f32(vld1q_f32(scores + i), vdupq_n_f32(now)));
    const float32x4_t w1 = Exp2(vsubq_f32(vld1q_f32(scores + i + 4), vdupq_n_f32(now)));
    sums = vaddq_f32(sums, w);
    sums1 = vaddq_f32(sums1, w1);
    vst1q_u16(weights + i, vreinterpretq_u16_f16(vcvt_high_f16_f32(vcvt_f16_f32(w), w1)));
  }
  sums = vaddq_f32(sums, sums1);
  if (now == before) {
    *sum += vaddvq_f32(sums);
    return;
  }
  const float fix = Exp2(before - now);
  *max = now;
  *sum = *sum * fix + vaddvq_f32(sums);
  for (int64_t d = 0; d < head_dim; d += 4)
    vst1q_f32(out + d, vmulq_n_f32(vld1q_f32(out + d), fix));
}

struct Block {
  const uint16_t* k;
  const uint16_t* v;
  int64_t positions;
  int64_t padded;  // to whole vectors; K and V are zero there
};

// Prefetches V of the 4 positions at i, and K and V of 4 positions of `ahead`.
inline void FetchFour(const Block& block, int64_t i, int64_t dim, const CacheRun& ahead,
                      int64_t vector_bytes) {
  // V is brought into L1 while the scores are computed: it is read below in passes of 64 bytes per
  // row, which the hardware does not predict. K is left to the hardware: prefetching it too, to L1
  // or L2 and at any distance, costs a fifth of the speed or more.
  for (int64_t d = 0; d < 4 * dim; d += 32) __builtin_prefetch(block.v + i * dim + d, 0, 3);
  if (i >= ahead.positions) return;
  for (int64_t d = 0; d < 4 * vector_bytes; d += 64) {
    __builtin_prefetch(ahead.k + i * vector_bytes + d, 0, 1);
    __builtin_prefetch(ahead.v + i * vector_bytes + d, 0, 1);
  }
}

// `ahead` is given only with the first heads.
template <int kHeads>
void AttendBlock(const AttentionCall& call, const Scratch& s, const Block& block, int64_t head,
                 const CacheRun* ahead, const AttentionPart& part) {
  const int64_t dim = call.head_dim;
  const int64_t vector_bytes = VectorBytes(call.cache.dtype, dim);
  for (int64_t i = 0; i < block.padded; i += 4) {
    if (ahead != nullptr) FetchFour(block, i, dim, *ahead, vector_bytes);
    ScoreFour<kHeads>(block.k + i * dim, s.q + head * dim, dim, s.factors + head, s.scores + i);
  }
  float* out = part.out + head * dim;
  for (int h = 0; h < kHeads; ++h) {
    float* scores = s.scores + h * kBlock;
    for (int64_t i = block.positions; i < block.padded; ++i) scores[i] = -INFINITY;
    UpdateHead(scores, block.padded, dim, s.weights + h * kBlock, part.max + head + h,
               part.sum + head + h, out + h * dim);
  }
  int64_t d = 0;
  for (; d + 32 <= dim; d += 32) {
    AddValues<kHeads, 4>(block.v + d, s.weights, block.padded, dim, out + d);
  }
  for (; d < dim; d += 8) {
    AddValues<kHeads, 1>(block.v + d, s.weights, block.padded, dim, out + d);
  }
}

// Returns a block in f16 and whole vectors: in place if it is in that form already.
Block MakeBlock(const AttentionCall& call, const Scratch& s, const CacheRun& run) {
  const int64_t dim = call.head_dim;
  const int64_t padded = (run.positions + 7) / 8 * 8;
  const bool halves = call.cache.dtype == DType::kF16;
  if (halves && padded == run.positions) {
    return {reinterpret_cast<const uint16_t*>(run.k), reinterpret_cast<const uint16_t*>(run.v),
            run.positions, padded};
  }
  const int64_t bytes = VectorBytes(call.cache.dtype, dim);
  if (halves) {
    memcpy(s.k, run.k, static_cast<size_t>(run.positions * bytes));
    memcpy(s.v, run.v, static_cast<size_t>(run.positions * bytes));
  } else {
    for (int64_t i = 0; i < run.positions; ++i) HalvesFromQ8(run.k + i * bytes, dim, s.k + i * dim);
    for (int64_t i = 0; i < run.positions; ++i) HalvesFromQ8(run.v + i * bytes, dim, s.v + i * dim);
  }
  const int64_t missing = (padded - run.positions) * dim;
  memset(s.k + run.positions * dim, 0, static_cast<size_t>(missing) * 2);
  memset(s.v + run.positions * dim, 0, static_cast<size_t>(missing) * 2);
  return {s.k, s.v, run.positions, padded};
}

void AttendToken(const AttentionCall& call, int64_t begin, int64_t end, const AttentionPart& part) {
  const Scratch s = Divide(call);
  MakeQueries(call, s);
  for (int64_t h = 0; h < call.group_heads; ++h) {
    part.max[h] = -FLT_MAX;
    part.sum[h] = 0;
  }
  memset(part.out, 0, static_cast<size_t>(call.group_heads * call.head_dim) * 4);
  for (int64_t position = begin; position < end;) {
    const CacheRun run = RunAt(call.cache, call.head_dim, position, end, kBlock);
    const Block block = MakeBlock(call, s, run);
    const CacheRun ahead =
        position + kAheadPositions < end
            ? RunAt(call.cache, call.head_dim, position + kAheadPositions, end, kBlock)
            : CacheRun{nullptr, nullptr, 0};
    int64_t head = 0;
    for (; head + 2 <= call.group_heads; head += 2) {
      AttendBlock<2>(call, s, block, head, head == 0 ? &ahead : nullptr, part);
    }
    if (head < call.group_heads)
      AttendBlock<1>(call, s, block, head, head == 0 ? &ahead : nullptr, part);
    position += run.positions;
  }
}

}  // namespace

uint64_t DecodeHalfScratchBytes(int64_t group_heads, int64_t head_dim) {
  const uint64_t heads = static_cast<uint64_t>(group_heads);
  const uint64_t head_bytes = static_cast<uint64_t>(head_dim) * 2;
  return Padded(2 * kBlock * 4) + Padded(heads * 4) + Padded(2 * kBlock * 2) +
         Padded(heads * head_bytes) + 2 * Padded(kBlock * head_bytes);
}

void DecodeHalf(const AttentionCall& call, int64_t begin, int64_t end, const AttentionPart& part) {
  for (int64_t t = 0; t < call.tokens; ++t) {
    AttentionCall token = call;
    token.q += t * call.q_stride;
    token.tokens = 1;
    token.first_visible += t;
    const int64_t visible = token.first_visible + 1;
    AttendToken(token, begin, end < visible ? end : visible,
                {.max = part.max + t * call.group_heads,
                 .sum = part.sum + t * call.group_heads,
                 .out = part.out + t * part.out_stride,
                 .out_stride = part.out_stride});
  }
}

}  // namespace infer::simd::i8mm
