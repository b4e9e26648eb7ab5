// SPDX-License-Identifier: Apache-2.0
//
// Products of up to 8 tokens (form kBf16Tiles) with 16-bit weights, which are read once: 4 rows at
// a time are interleaved in registers.
#pragma once

#include <stdint.h>

#include "backends/simd/i8mm/bf16_tile.h"
#include "backends/simd/i8mm/float_activations.h"
#include "backends/simd/i8mm/weight_panel.h"
#include "backends/simd/isa/linear_kernel.h"

namespace infer::simd::i8mm {
namespace {

constexpr int kStreamRows = 4;  // weight rows side by side

// Sums of kPairs pairs of tokens with 2 pairs of weight rows; even and odd steps are separate, for
// more independent chains.
template <int kPairs>
struct StreamSums {
  float32x4_t at[2][2][kPairs];  // [pair of weight rows][parity of the step]
};

template <int kPairs, class Conversion>
inline void StreamSteps(StreamSums<kPairs>& sums, const uint16_t* tokens, const uint16x8_t (&w)[4],
                        Conversion to) {
  uint16x8_t b[2][2];
  InterleaveRows(to.template Convert<0>(w[0]), to.template Convert<1>(w[1]), &b[0][0], &b[0][1]);
  InterleaveRows(to.template Convert<2>(w[2]), to.template Convert<3>(w[3]), &b[1][0], &b[1][1]);
#pragma GCC unroll 2
  for (int s = 0; s < 2; ++s) {
#pragma GCC unroll 4
    for (int r = 0; r < kPairs; ++r) {
      const bfloat16x8_t x = LoadBf16(tokens + (s * kPairs + r) * 8);
#pragma GCC unroll 2
      for (int j = 0; j < 2; ++j) {
        sums.at[j][s][r] = vbfmmlaq_f32(sums.at[j][s][r], x, vreinterpretq_bf16_u16(b[j][s]));
      }
    }
  }
}

template <int kPairs, class Conversion>
inline void StreamRows(StreamSums<kPairs>& sums, const uint16_t* const (&rows)[kStreamRows],
                       const uint16_t* ahead, const uint16_t* tokens, int64_t inner,
                       Conversion to) {
  for (int j = 0; j < 2; ++j) {
    for (int r = 0; r < kPairs; ++r) sums.at[j][0][r] = sums.at[j][1][r] = vdupq_n_f32(0);
  }
  int64_t i = 0;
  for (; i + 8 <= inner; i += 8, tokens += kPairs * 16) {
    // Prefetches the rows that follow, one line per line of this step: the hardware follows a
    // single stream, not four.
    __builtin_prefetch(ahead + i * kStreamRows, 0, 2);
    const uint16x8_t w[4] = {vld1q_u16(rows[0] + i), vld1q_u16(rows[1] + i), vld1q_u16(rows[2] + i),
                             vld1q_u16(rows[3] + i)};
    StreamSteps<kPairs>(sums, tokens, w, to);
  }
  if (i < inner) {
    const uint16x8_t w[4] = {LoadTail(rows[0] + i, inner - i), LoadTail(rows[1] + i, inner - i),
                             LoadTail(rows[2] + i, inner - i), LoadTail(rows[3] + i, inner - i)};
    StreamSteps<kPairs>(sums, tokens, w, to);
  }
}

template <int kPairs>
inline void StoreStream(const StreamSums<kPairs>& sums, const LinearCall& call, float unit,
                        int64_t column, int64_t columns) {
  for (int r = 0; r < kPairs; ++r) {
    float32x4_t rows[2];
    SplitRows(vaddq_f32(sums.at[0][0][r], sums.at[0][1][r]),
              vaddq_f32(sums.at[1][0][r], sums.at[1][1][r]), &rows[0], &rows[1]);
    for (int64_t h = 0; h < 2 && 2 * r + h < call.tokens; ++h) {
      const int64_t at = (2 * r + h) * call.out_stride + column;
      float part[4];
      vst1q_f32(part, vmulq_n_f32(rows[h], RowScales(call)[2 * r + h] * unit));
      for (int64_t i = 0; i < columns; ++i) call.out[at + i] = part[i];
    }
  }
}

template <class Weights, int kPairs>
inline void StreamProduct(const LinearCall& call, int64_t begin, int64_t end) {
  const auto* weight = reinterpret_cast<const uint16_t*>(call.weight);
  const uint16_t* tokens = TileGroup(call, 0);
  for (int64_t column = begin; column < end; column += kStreamRows) {
    const int64_t left = end - column;
    const uint16_t* rows[kStreamRows];
    for (int64_t j = 0; j < kStreamRows; ++j) {
      rows[j] = weight + (column + (j < left ? j : left - 1)) * call.inner;
    }
    const uint16_t* ahead =
        weight + (left > kStreamRows ? column + kStreamRows : column) * call.inner;
    StreamSums<kPairs> sums;
    typename Weights::Check check;
    StreamRows<kPairs>(sums, rows, ahead, tokens, call.inner, FastConversion<Weights>{&check});
    if (check.failed()) [[unlikely]] {
      StreamRows<kPairs>(sums, rows, ahead, tokens, call.inner, ExactConversion<Weights>{});
    }
    StoreStream<kPairs>(sums, call, Weights::kScale, column,
                        left < kStreamRows ? left : kStreamRows);
  }
}

template <class Weights>
inline void StreamProductOf(const LinearCall& call, int64_t begin, int64_t end) {
  switch ((call.tokens + 1) / 2) {
    case 1:
      return StreamProduct<Weights, 1>(call, begin, end);
    case 2:
      return StreamProduct<Weights, 2>(call, begin, end);
    case 3:
      return StreamProduct<Weights, 3>(call, begin, end);
    default:
      return StreamProduct<Weights, 4>(call, begin, end);
  }
}

}  // namespace
}  // namespace infer::simd::i8mm
