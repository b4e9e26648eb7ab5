// SPDX-License-Identifier: Apache-2.0
//
// Attention over an f32 cache, f32 throughout: four rows (query heads of consecutive tokens) at a
// time against a block of positions.
#include <arm_neon.h>
#include <float.h>
#include <math.h>
#include <stdint.h>
#include <string.h>

#include "backends/simd/i8mm/attention_paths.h"
#include "backends/simd/i8mm/cache_rows.h"
#include "backends/simd/i8mm/exp2.h"
#include "backends/simd/i8mm/float_product.h"

namespace infer::simd::i8mm {
namespace {

constexpr int64_t kRows = 4;
constexpr int64_t kBlock = 64;  // positions: K and V of 128 elements fill L1

// Rows are (token, head of the group), in whole tiles of kRows.
struct Rows {
  float* scores;  // [kRows][kBlock]
  float* max;     // [rows]
  float* sum;     // [rows]
  float* q;       // [rows][head_dim]
  float* out;     // [rows][head_dim], before the division
  int64_t count;
};

int64_t PaddedRows(int64_t rows) { return (rows + kRows - 1) / kRows * kRows; }

Rows MakeRows(const AttentionCall& call) {
  const int64_t rows = call.tokens * call.group_heads;
  const int64_t padded = PaddedRows(rows);
  Rows r;
  r.count = rows;
  r.scores = reinterpret_cast<float*>(call.scratch);
  r.max = r.scores + kRows * kBlock;
  r.sum = r.max + padded;
  r.q = r.sum + padded;
  r.out = r.q + padded * call.head_dim;
  const float factor = call.scale * kLog2E;
  for (int64_t row = 0; row < padded; ++row) {
    r.max[row] = -FLT_MAX;
    r.sum[row] = 0;
    // Rows past the end repeat the last one; their results are not used.
    const int64_t from = row < rows ? row : rows - 1;
    const float* q =
        call.q + from / call.group_heads * call.q_stride + from % call.group_heads * call.head_dim;
    float* to = r.q + row * call.head_dim;
    for (int64_t d = 0; d < call.head_dim; d += 4) {
      vst1q_f32(to + d, vmulq_n_f32(vld1q_f32(q + d), factor));
    }
  }
  memset(r.out, 0, static_cast<size_t>(padded * call.head_dim) * 4);
  return r;
}

// Computes the scores of a tile of rows; positions that a row may not see get -infinity.
void Score(const Rows& r, int64_t row, const float* k, int64_t positions, int64_t head_dim,
           const int64_t (&visible)[kRows]) {
  const float* q = r.q + row * head_dim;
  int64_t i = 0;
  for (; i + 4 <= positions; i += 4) {
    float tile[kRows][4];
    DotTile<kRows, 4>(q, head_dim, k + i * head_dim, head_dim, head_dim, tile);
    for (int64_t x = 0; x < kRows; ++x) vst1q_f32(r.scores + x * kBlock + i, vld1q_f32(tile[x]));
  }
  for (; i < positions; ++i) {
    float tile[kRows][1];
    DotTile<kRows, 1>(q, head_dim, k + i * head_dim, head_dim, head_dim, tile);
    for (int64_t x = 0; x < kRows; ++x) r.scores[x * kBlock + i] = tile[x][0];
  }
  const int64_t padded = (positions + 3) / 4 * 4;
  for (int64_t x = 0; x < kRows; ++x) {
    for (i = visible[x] < positions ? visible[x] : positions; i < padded; ++i) {
      r.scores[x * kBlock + i] = -INFINITY;
    }
  }
}

// Converts the scores of one row to weights, in place; rescales the sums so far to the new maximum.
void UpdateRow(const Rows& r, int64_t row, float* scores, int64_t positions, int64_t head_dim) {
  float32x4_t largest = vld1q_f32(scores);
  for (int64_t i = 4; i < positions; i += 4) largest = vmaxq_f32(largest, vld1q_f32(scores + i));
  const float block_max = vmaxvq_f32(largest);
  const float before = r.max[row];
  const float now = block_max > before || block_max != block_max ? block_max : before;
  float32x4_t sums = vdupq_n_f32(0);
  for (int64_t i = 0; i < positions; i += 4) {
    const float32x4_t score = vld1q_f32(scores + i);
    const float32x4_t weight = Exp2(vsubq_f32(score, vdupq_n_f32(now)));
    // Exactly zero where nothing is visible, so that no weight is multiplied with missing data.
    const uint32x4_t hidden = vceqq_f32(score, vdupq_n_f32(-INFINITY));
    const float32x4_t kept =
        vreinterpretq_f32_u32(vbicq_u32(vreinterpretq_u32_f32(weight), hidden));
    sums = vaddq_f32(sums, kept);
    vst1q_f32(scores + i, kept);
  }
  const float fix = now == before ? 1.0f : Exp2(before - now);
  r.max[row] = now;
  r.sum[row] = r.sum[row] * fix + vaddvq_f32(sums);
  if (now == before) return;
  float* out = r.out + row * head_dim;
  for (int64_t d = 0; d < head_dim; d += 4)
    vst1q_f32(out + d, vmulq_n_f32(vld1q_f32(out + d), fix));
}

// Adds weights times V for a tile of rows, kVectors vectors of 4 elements from `d` on.
template <int kVectors>
inline void AddValues(const Rows& r, int64_t row, const float* v, int64_t positions,
                      int64_t head_dim, int64_t d) {
  float* out = r.out + row * head_dim + d;
  float32x4_t sums[kRows][kVectors];
#pragma GCC unroll 4
  for (int x = 0; x < kRows; ++x) {
#pragma GCC unroll 4
    for (int j = 0; j < kVectors; ++j) sums[x][j] = vld1q_f32(out + x * head_dim + 4 * j);
  }
  for (int64_t i = 0; i < positions; ++i) {
    float32x4_t value[kVectors];
#pragma GCC unroll 4
    for (int j = 0; j < kVectors; ++j) value[j] = vld1q_f32(v + i * head_dim + d + 4 * j);
#pragma GCC unroll 4
    for (int x = 0; x < kRows; ++x) {
      const float32x4_t weight = vld1q_dup_f32(r.scores + x * kBlock + i);
#pragma GCC unroll 4
      for (int j = 0; j < kVectors; ++j) sums[x][j] = vfmaq_f32(sums[x][j], value[j], weight);
    }
  }
#pragma GCC unroll 4
  for (int x = 0; x < kRows; ++x) {
#pragma GCC unroll 4
    for (int j = 0; j < kVectors; ++j) vst1q_f32(out + x * head_dim + 4 * j, sums[x][j]);
  }
}

void AttendTile(const Rows& r, int64_t row, const CacheRun& run, int64_t head_dim,
                const int64_t (&visible)[kRows]) {
  const auto* v = reinterpret_cast<const float*>(run.v);
  Score(r, row, reinterpret_cast<const float*>(run.k), run.positions, head_dim, visible);
  for (int64_t x = 0; x < kRows; ++x) {
    UpdateRow(r, row + x, r.scores + x * kBlock, (run.positions + 3) / 4 * 4, head_dim);
  }
  int64_t d = 0;
  for (; d + 16 <= head_dim; d += 16) AddValues<4>(r, row, v, run.positions, head_dim, d);
  for (; d < head_dim; d += 4) AddValues<1>(r, row, v, run.positions, head_dim, d);
}

// Processes all rows over positions [begin, end); first_visible is as in AttentionCall.
void Attend(const AttentionCall& call, const Rows& r, int64_t begin, int64_t end) {
  for (int64_t position = begin; position < end;) {
    const CacheRun run = RunAt(call.cache, call.head_dim, position, end, kBlock);
    for (int64_t row = 0; row < r.count; row += kRows) {
      int64_t visible[kRows];
      int64_t most = 0;
      for (int64_t x = 0; x < kRows; ++x) {
        const int64_t last = call.first_visible + (row + x) / call.group_heads;
        visible[x] = last < position ? 0 : last - position + 1;
        if (visible[x] > most) most = visible[x];
      }
      if (most > 0) AttendTile(r, row, run, call.head_dim, visible);
    }
    position += run.positions;
  }
}

}  // namespace

uint64_t AttentionF32ScratchBytes(int64_t tokens, int64_t group_heads, int64_t head_dim) {
  const int64_t rows = PaddedRows(tokens * group_heads);
  return static_cast<uint64_t>(kRows * kBlock + rows * 2 + rows * head_dim * 2) * 4;
}

void DecodeF32(const AttentionCall& call, int64_t begin, int64_t end, const AttentionPart& part) {
  const Rows r = MakeRows(call);
  Attend(call, r, begin, end);
  memcpy(part.max, r.max, static_cast<size_t>(call.group_heads) * 4);
  memcpy(part.sum, r.sum, static_cast<size_t>(call.group_heads) * 4);
  memcpy(part.out, r.out, static_cast<size_t>(call.group_heads * call.head_dim) * 4);
}

void PrefillF32(const AttentionCall& call) {
  const Rows r = MakeRows(call);
  Attend(call, r, 0, call.first_visible + call.tokens);
  for (int64_t row = 0; row < r.count; ++row) {
    const float* from = r.out + row * call.head_dim;
    float* to = call.out + row / call.group_heads * call.out_stride +
                row % call.group_heads * call.head_dim;
    const float factor = r.sum[row] == 0 ? 0.0f : 1.0f / r.sum[row];
    for (int64_t d = 0; d < call.head_dim; d += 4) {
      vst1q_f32(to + d, vmulq_n_f32(vld1q_f32(from + d), factor));
    }
  }
}

}  // namespace infer::simd::i8mm
