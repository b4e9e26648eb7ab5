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
#include "backends/simd/i8mm/half_to_bf16.h"

namespace infer::simd::i8mm {
namespace {

// Positions per block: the sums of a row are loaded and stored once per block. From 128 on the size
// hardly matters.
constexpr int64_t kPanelPositions = 512;

inline int64_t ValuePanels(int64_t head_dim) {
  return (head_dim + kTileColumns - 1) / kTileColumns;
}

// Converts vectors of f16 fast, and collects in `poison` what that cannot handle, in 4 chains: with
// one chain, its latency of 4 cycles per vector would take all the time available.
struct FastConversion {
  float16x8_t poison[4] = {};

  template <int kChain>
  uint16x8_t Convert(uint16x8_t w) {
    return ShiftToBf16(vreinterpretq_f16_u16(w), &poison[kChain]);
  }
  bool failed() const {
    return Poisoned(vaddq_f16(vaddq_f16(poison[0], poison[1]), vaddq_f16(poison[2], poison[3])));
  }
};
struct ExactConversion {
  template <int kChain>
  uint16x8_t Convert(uint16x8_t w) {
    return WidenToBf16(vreinterpretq_f16_u16(w));
  }
};

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

// Stores 8 elements of two positions as two steps of a pair of columns.
inline void StorePair(uint16x8_t x, uint16x8_t y, uint16_t* out) {
  uint16x8_t first, second;
  InterleaveRows(x, y, &first, &second);
  vst1q_u16(out, first);
  vst1q_u16(out + kColumnPairs * 8, second);
}

// Positions are prefetched 16 KiB ahead, to L3 only: 10 instead of 14 cycles for 64 bytes.
constexpr int64_t kAheadKeys = 8 * 1024;

template <class Conversion>
inline void PackPair(const uint16_t* x, const uint16_t* y, int64_t head_dim, uint16_t* out,
                     Conversion& to) {
  constexpr int kStride = 2 * kColumnPairs * 8;  // of 8 elements
  int64_t i = 0;
  for (; i + 16 <= head_dim; i += 16, out += 2 * kStride) {
    // Positions are contiguous: prefetch one line of what follows for each line of both.
    __builtin_prefetch(x + 2 * i + kAheadKeys, 0, 1);
    const uint16x8_t x0 = to.template Convert<0>(vld1q_u16(x + i));
    const uint16x8_t y0 = to.template Convert<1>(vld1q_u16(y + i));
    const uint16x8_t x1 = to.template Convert<2>(vld1q_u16(x + i + 8));
    const uint16x8_t y1 = to.template Convert<3>(vld1q_u16(y + i + 8));
    StorePair(x0, y0, out);
    StorePair(x1, y1, out + kStride);
  }
  if (i < head_dim) {  // a multiple of 8
    StorePair(to.template Convert<0>(vld1q_u16(x + i)), to.template Convert<1>(vld1q_u16(y + i)),
              out);
  }
}

template <class Conversion>
inline void PackKeysAs(const PanelBlock& b, uint16_t* out, Conversion& to) {
  for (int64_t i = 0; i < b.padded; i += 2) {
    uint16_t* panel = out + i / kTileColumns * kTileColumns * b.head_dim;
    PackPair(HalfVector(b, i, 0), HalfVector(b, i + 1, 1), b.head_dim,
             panel + i % kTileColumns / 2 * 8, to);
  }
}

// Packs 8 elements of 4 positions: two columns of 4 positions per vector.
template <class Conversion>
inline void PackFourValues(const uint16_t* const (&v)[4], int64_t d, uint16_t* out,
                           Conversion& to) {
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
inline void PackValuesAs(const PanelBlock& b, uint16_t* out, Conversion& to) {
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
  FastConversion fast;
  PackKeysAs(block, out, fast);
  ExactConversion exact;
  if (fast.failed()) [[unlikely]]
    PackKeysAs(block, out, exact);
}

inline void PackValues(const PanelBlock& block, uint16_t* out) {
  FastConversion fast;
  PackValuesAs(block, out, fast);
  ExactConversion exact;
  if (fast.failed()) [[unlikely]]
    PackValuesAs(block, out, exact);
}

}  // namespace
}  // namespace infer::simd::i8mm
