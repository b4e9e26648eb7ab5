// SPDX-License-Identifier: Apache-2.0
//
// Softmax inside a tile of scores. The sums of a tile start at the row's reference, so that they
// end as exponents, and the weights are produced as the left operand of the next product. A row's
// reference is not its maximum: bf16 has the range of f32, so the reference moves, by a whole
// number, only when a score exceeds it by more than kSlack.
#pragma once

#include <arm_neon.h>
#include <math.h>
#include <stdint.h>

#include "backends/simd/i8mm/bf16_tile.h"
#include "backends/simd/i8mm/exp2.h"

namespace infer::simd::i8mm {
namespace {

constexpr float kReference = 80;  // exponent of a row's reference: with kHalfUnit in V near 1
constexpr float kSlack = 16;
constexpr float kLowest = -120;    // 2^-200 of the reference: negligible
constexpr float kHidden = -1e30f;  // a score that its row may not see

// 6 rows: a lane for each column of a pair, as in the tile's sums.
struct TileRows {
  float32x4_t start[kTilePairs];  // kReference minus the reference
  float32x4_t sum[kTilePairs];    // of the weights: {row 0, row 0, row 1, row 1}
  int32x4_t visible[kTilePairs];  // last position that a row sees
  int64_t first_visible;          // smallest and
  int64_t last_visible;           // largest of `visible`
  bool fresh;                     // no reference yet
};

using TileSums = float32x4_t[kTilePairs][kColumnPairs];

// Computes the weights of 4 columns of two rows in bf16, up to a factor that all weights share: 2^f
// is (f^2 + a)(f + b) on [1/2, 3/2] to 1.0e-4 (found by a search), without a constant that would
// have to be moved into a register first. Converts to bf16 by truncation: the bias cancels, because
// the truncated weights are summed.
inline uint16x8_t TileWeights(float32x4_t s0, float32x4_t s1) {
  float32x4_t x0, x1;
  SplitRows(s0, s1, &x0, &x1);
  x0 = vmaxq_f32(x0, vdupq_n_f32(kLowest));
  x1 = vmaxq_f32(x1, vdupq_n_f32(kLowest));
  const float32x4_t magic = vdupq_n_f32(kRoundingMagic), magic1 = vdupq_n_f32(kRoundingMagic + 1);
  const float32x4_t a = vdupq_n_f32(6.68326396f), b = vdupq_n_f32(1.31050793f);
  const float32x4_t t0 = vaddq_f32(x0, magic), t1 = vaddq_f32(x1, magic);
  const float32x4_t f0 = vsubq_f32(x0, vsubq_f32(t0, magic1));
  const float32x4_t f1 = vsubq_f32(x1, vsubq_f32(t1, magic1));
  const float32x4_t p0 = vmulq_f32(vaddq_f32(vmulq_f32(f0, f0), a), vaddq_f32(f0, b));
  const float32x4_t p1 = vmulq_f32(vaddq_f32(vmulq_f32(f1, f1), a), vaddq_f32(f1, b));
  const uint16x8_t p = vuzp2q_u16(vreinterpretq_u16_f32(p0), vreinterpretq_u16_f32(p1));
  const uint16x8_t e = vuzp1q_u16(vreinterpretq_u16_f32(t0), vreinterpretq_u16_f32(t1));
  return vaddq_u16(p, vshlq_n_u16(e, 7));
}

// Hides the positions that rows may not see among the 16 from `position` on.
inline void HideLater(const TileRows& rows, int64_t position, TileSums& sums) {
  const int32x4_t column = {0, 1, 0, 1};
#pragma GCC unroll 3
  for (int r = 0; r < kTilePairs; ++r) {
    const int32x4_t last = vsubq_s32(rows.visible[r], vdupq_n_s32(static_cast<int32_t>(position)));
#pragma GCC unroll 8
    for (int j = 0; j < kColumnPairs; ++j) {
      const uint32x4_t seen = vcleq_s32(vaddq_s32(column, vdupq_n_s32(2 * j)), last);
      sums[r][j] = vbslq_f32(seen, sums[r][j], vdupq_n_f32(kHidden));
    }
  }
}

// Returns which of 4 columns from `position` on rows 2 r and 2 r + 1 see, as masks of their
// weights.
inline uint16x8_t SeenColumns(const TileRows& rows, int r, int64_t position) {
  const int16x8_t column = {0, 1, 2, 3, 0, 1, 2, 3};
  const int32x4_t last = vsubq_s32(rows.visible[r], vdupq_n_s32(static_cast<int32_t>(position)));
  const int16x4_t narrow = vqmovn_s32(last);  // {row 0, row 0, row 1, row 1}
  return vcleq_s16(column, vcombine_s16(vdup_lane_s16(narrow, 0), vdup_lane_s16(narrow, 2)));
}

// Returns how far a row's reference moves up, given the largest of its exponents.
inline float Movement(float largest, bool fresh) {
  if (!fresh && largest <= kReference + kSlack) return 0;
  return ceilf((largest > -3e4f ? largest : -3e4f) - kReference);
}

// Moves the references of rows that need it. Adjusts this tile's sums and everything computed with
// the old references: the weights of `steps` steps, and the sums of the second product in `out`,
// [panels][3][8] vectors. A row with a score that is NaN or +infinity gets NaN as its sum, and
// therefore as its result.
__attribute__((noinline)) void MoveReferences(TileRows* rows, TileSums& sums, uint16_t* weights,
                                              int64_t steps, float* out, int64_t panels) {
  for (int r = 0; r < kTilePairs; ++r) {
    float32x4_t largest = sums[r][0];
    for (int j = 1; j < kColumnPairs; ++j) largest = vmaxq_f32(largest, sums[r][j]);
    float lanes[4], move[4], factor[4], bad[4];
    vst1q_f32(lanes, vpmaxq_f32(largest, largest));
    for (int h = 0; h < 4; ++h) {
      const float most = lanes[h / 2];
      const bool finite = most < INFINITY;
      bad[h] = finite ? 0 : NAN;
      move[h] = finite ? Movement(most, rows->fresh) : 0;
      factor[h] = Exp2(move[h] > 0 ? -move[h] : 0.0f);
    }
    const float32x4_t down = vld1q_f32(move), scale = vld1q_f32(factor);
    const uint32x4_t good = vceqq_f32(vld1q_f32(bad), vld1q_f32(bad));
    rows->start[r] = vsubq_f32(rows->start[r], down);
    rows->sum[r] = vaddq_f32(vmulq_f32(rows->sum[r], scale), vld1q_f32(bad));
    for (float32x4_t& s : sums[r]) s = vbslq_f32(good, vsubq_f32(s, down), vdupq_n_f32(kHidden));
    if (rows->fresh) continue;
    for (int64_t i = 0; i < panels * kColumnPairs; ++i) {
      float* at = out + ((i / kColumnPairs * kTilePairs + r) * kColumnPairs + i % kColumnPairs) * 4;
      vst1q_f32(at, vmulq_f32(vld1q_f32(at), scale));
    }
    for (int64_t i = 0; i < steps; ++i) {
      uint16_t* at = weights + (i * kTilePairs + r) * 8;
      const uint16x8_t w = vld1q_u16(at);
      const float32x4_t w0 = vmulq_n_f32(WidenBf16(vget_low_u16(w)), factor[0]);
      const float32x4_t w1 = vmulq_n_f32(WidenBf16(vget_high_u16(w)), factor[2]);
      vst1q_u16(at, vuzp2q_u16(vreinterpretq_u16_f32(w0), vreinterpretq_u16_f32(w1)));
    }
  }
  rows->fresh = false;
}

}  // namespace
}  // namespace infer::simd::i8mm
