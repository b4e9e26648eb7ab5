// SPDX-License-Identifier: Apache-2.0
//
// A block of cache positions as right operands of bfmmla (bf16_tile.h), multiplied by kHalfUnit:
//   K  panels of 16 positions, inner dimension head_dim
//   V  panels of 16 elements, inner dimension the block's positions
#pragma once

#include <arm_neon.h>
#include <stdint.h>
#include <string.h>

#include "backends/simd/i8mm/bf16_tile.h"
#include "backends/simd/i8mm/cache_rows.h"
#include "backends/simd/i8mm/weight_panel.h"

namespace infer::simd::i8mm {
namespace {

// Positions per block: the sums of a row are loaded and stored once per block. From 128 on the size
// hardly matters.
constexpr int64_t kPanelPositions = 512;

inline int64_t ValuePanels(int64_t head_dim) {
  return (head_dim + kTileColumns - 1) / kTileColumns;
}

struct PanelBlock {
  int64_t head_dim;
  int64_t positions;
  int64_t padded;  // to whole tiles; K and V are zero there
  DType dtype;
  const std::byte** vectors;  // [kPanelPositions] of K or V
  uint16_t* rows;             // [4][head_dim]: for vectors that are missing or not f16
};

// Returns vector i as f16, converted into row `r` of the block's memory unless it is f16 already.
inline const uint16_t* HalfVector(const PanelBlock& b, int64_t i, int64_t r) {
  if (i < b.positions && b.dtype == DType::kF16) {
    return reinterpret_cast<const uint16_t*>(b.vectors[i]);
  }
  uint16_t* row = b.rows + r * b.head_dim;
  if (i < b.positions) {
    HalvesFromQ8(b.vectors[i], b.head_dim, row);
  } else {
    memset(row, 0, static_cast<size_t>(b.head_dim) * 2);
  }
  return row;
}

template <class Conversion>
inline void PackKeysAs(const PanelBlock& b, uint16_t* out, Conversion to) {
  for (int64_t i = 0; i < b.padded; i += 2) {
    uint16_t* panel = out + i / kTileColumns * kTileColumns * b.head_dim;
    PackPair<kColumnPairs * 8>(HalfVector(b, i, 0), HalfVector(b, i + 1, 1), b.head_dim,
                               panel + i % kTileColumns / 2 * 8, to);
  }
}

// Packs 8 elements of 4 positions: two columns of 4 positions per vector.
template <class Conversion>
inline void PackFourValues(const uint16_t* const (&v)[4], int64_t d, uint16_t* out, Conversion to) {
  const uint16x8_t a = to.template Convert<0>(vld1q_u16(v[0] + d));
  const uint16x8_t b = to.template Convert<1>(vld1q_u16(v[1] + d));
  const uint16x8_t c = to.template Convert<2>(vld1q_u16(v[2] + d));
  const uint16x8_t e = to.template Convert<3>(vld1q_u16(v[3] + d));
  const uint16x8_t ac0 = vzip1q_u16(a, c), ac1 = vzip2q_u16(a, c);
  const uint16x8_t be0 = vzip1q_u16(b, e), be1 = vzip2q_u16(b, e);
  vst1q_u16(out, vzip1q_u16(ac0, be0));
  vst1q_u16(out + 8, vzip2q_u16(ac0, be0));
  vst1q_u16(out + 16, vzip1q_u16(ac1, be1));
  vst1q_u16(out + 24, vzip2q_u16(ac1, be1));
}

template <class Conversion>
inline void PackValuesAs(const PanelBlock& b, uint16_t* out, Conversion to) {
  const int64_t panel_elements = kPanelPositions * kTileColumns;
  for (int64_t i = 0; i < b.padded; i += kStep) {
    const uint16_t* const v[4] = {HalfVector(b, i, 0), HalfVector(b, i + 1, 1),
                                  HalfVector(b, i + 2, 2), HalfVector(b, i + 3, 3)};
    uint16_t* step = out + i * kTileColumns;
    for (int64_t d = 0; d < b.head_dim; d += 8) {
      PackFourValues(v, d, step + d / kTileColumns * panel_elements + d % kTileColumns * kStep, to);
    }
    if (b.head_dim % kTileColumns != 0) {
      memset(step + b.head_dim / kTileColumns * panel_elements + 8 * kStep, 0, 8 * kStep * 2);
    }
  }
}

inline void PackKeys(const PanelBlock& block, uint16_t* out) {
  HalfWeights::Check check;
  PackKeysAs(block, out, FastConversion<HalfWeights>{&check});
  if (check.failed()) [[unlikely]]
    PackKeysAs(block, out, ExactConversion<HalfWeights>{});
}

inline void PackValues(const PanelBlock& block, uint16_t* out) {
  HalfWeights::Check check;
  PackValuesAs(block, out, FastConversion<HalfWeights>{&check});
  if (check.failed()) [[unlikely]]
    PackValuesAs(block, out, ExactConversion<HalfWeights>{});
}

}  // namespace
}  // namespace infer::simd::i8mm
