// SPDX-License-Identifier: Apache-2.0
//
// Products of any number of rows with super blocks, with the same bits: few rows as streams, many
// in tiles of 6. For tiles, panels are copied in the order of their use; blocking is that of
// multiply_panels.h.
#pragma once

#include <arm_neon.h>

#include "backends/simd/i8mm/multiply_panels.h"
#include "backends/simd/i8mm/store_tile.h"
#include "backends/simd/i8mm/stream_panels.h"
#include "backends/simd/i8mm/stream_superblocks.h"
#include "backends/simd/i8mm/super_tile.h"

namespace infer::simd::i8mm {
namespace {

// Bytes of a copy: quants, deltas, scales, and with minima their scales and themselves.
template <class Format>
constexpr int64_t CopyBytes(int64_t inner) {
  return inner * kPanelColumns + inner / Format::kPart * 64 +
         Groups(inner) * 64 * (Format::kHasMins ? 3 : 1);
}

// Copies the quants of a part, and the differences of its scales to those of the next part of its
// group.
template <class Format>
inline void CopyPart(const std::byte* block, int part, int8_t* quants, int32_t* deltas) {
  constexpr int kSteps = Format::kPart / 8;
#pragma GCC unroll 4
  for (int step = 0; step < kSteps; ++step) {
    for (int j = 0; j < kColumnPairs; ++j) {
      vst1q_s8(quants + (step * kColumnPairs + j) * 16, Format::Operand(block, part, step, j));
    }
  }
  int16x8_t delta = Format::PartScales(block, part);
  if ((part + 1) % (kGroup / Format::kPart) != 0) {
    delta = vsubq_s16(delta, Format::PartScales(block, part + 1));
  }
  for (int j = 0; j < kColumnPairs; ++j) vst1q_s32(deltas + 4 * j, PairScales(delta, j));
}

// bf16 [2 columns][4 parts] for each column pair: the upper halves of floats.
template <class Format>
inline void CopyMins(const std::byte* block, int half, uint16_t* out) {
  const int8_t* mins = Format::Mins(block, half);
  for (int j = 0; j < kColumnPairs; ++j) {
    const int16x8_t wide = vmovl_s8(vld1_s8(mins + 8 * j));
    const float32x4_t low = vcvtq_f32_s32(vmovl_s16(vget_low_s16(wide)));
    const float32x4_t high = vcvtq_f32_s32(vmovl_high_s16(wide));
    vst1q_u16(out + 8 * j, vcombine_u16(vshrn_n_u32(vreinterpretq_u32_f32(low), 16),
                                        vshrn_n_u32(vreinterpretq_u32_f32(high), 16)));
  }
}

// Format is that of stream_superblocks.h.
template <class Format>
SuperPanel CopyPanel(const std::byte* block, int64_t inner, std::byte* copy) {
  constexpr int kParts = kSuperBlock / Format::kPart;
  auto* quants = reinterpret_cast<int8_t*>(copy);
  auto* deltas = reinterpret_cast<int32_t*>(copy + inner * kPanelColumns);
  auto* scales = reinterpret_cast<float*>(deltas + inner / Format::kPart * 16);
  float* min_scales = scales + Groups(inner) * 16;
  auto* mins = reinterpret_cast<uint16_t*>(min_scales + Groups(inner) * 16);
  const SuperPanel panel = {quants, deltas, scales, Format::kHasMins ? min_scales : nullptr, mins};
  for (int64_t b = 0; b < inner / kSuperBlock; ++b, block += Format::kBytes) {
#pragma GCC unroll 2  // even and odd parts may be unpacked differently
    for (int part = 0; part < kParts; ++part) {
      CopyPart<Format>(block, part, quants, deltas);
      quants += Format::kPart * kPanelColumns;
      deltas += 16;
    }
    for (int half = 0; half < kSuperGroups; ++half) {
      float32x4_t columns[2];
      Format::Scales(block, columns);
      StoreColumnPairs(columns, scales);
      scales += 16;
      if constexpr (Format::kHasMins) {
        Format::MinScales(block, columns);
        StoreColumnPairs(columns, min_scales);
        CopyMins<Format>(block, half, mins);
        min_scales += 16;
        mins += 32;
      }
    }
  }
  return panel;
}

// Multiplies tiles [first, last) with the panels of columns [begin, end), which are copied. The
// last tile may have fewer pairs, and reads the panels as they are stored.
template <class Format>
inline void MultiplySuperTiles(const LinearCall& call, int64_t first, int64_t last, int64_t begin,
                               int64_t end, FollowingWeights following, const SuperPanel* panels) {
  const std::byte* stored = call.weight + begin / kPanelColumns * Format::PanelBytes(call.inner);
  for (int64_t t = first; t < last; ++t) {
    const Int8Tile tile = TileOf(call.activations, call.tokens, call.inner, t, kTileRows);
    for (int64_t column = begin; column < end; column += kPanelColumns) {
      following.FetchSlice();
      const int64_t panel = (column - begin) / kPanelColumns;
      const TileOut to = {call.out + t * kTileRows * call.out_stride + column, call.out_stride,
                          tile.rows, Smaller(kPanelColumns, end - column)};
      if (tile.pairs < kTilePairs) {
        StreamTile<Format>(stored + panel * Format::PanelBytes(call.inner), tile, call.inner, to);
      } else {
        const bool is_last = column + kPanelColumns >= end && t + 1 < last;
        const int8_t* next = tile.quants + (is_last ? TileSizes(kTileRows, call.inner).bytes : 0);
        StoreTile(MultiplySuperTile<Format::kPart, Format::kHasMins>(tile, panels[panel],
                                                                     Groups(call.inner), next),
                  to);
      }
    }
  }
}

template <class Format>
void MultiplySuperPanels(const LinearCall& call, int64_t begin, int64_t end) {
  const int64_t tiles = Tiles(call.tokens, kTileRows);
  const int64_t width = PanelsAtOnce(call.inner) * kPanelColumns;
  const int64_t tiles_at_once = TilesAtOnce(call.tokens, call.inner);
  const int64_t panel_bytes = Format::PanelBytes(call.inner);
  SuperPanel panels[kMaxPanels];
  for (int64_t first = 0; first < tiles; first += tiles_at_once) {
    const int64_t last = Smaller(first + tiles_at_once, tiles);
    for (int64_t column = begin; column < end; column += width) {
      const int64_t column_end = Smaller(column + width, end);
      std::byte* copy = call.scratch;
      for (int64_t at = column; at < column_end; at += kPanelColumns) {
        panels[(at - column) / kPanelColumns] =
            CopyPanel<Format>(call.weight + at / kPanelColumns * panel_bytes, call.inner, copy);
        copy += CopyBytes<Format>(call.inner);
      }
      MultiplySuperTiles<Format>(
          call, first, last, column, column_end,
          Following<Format>(call, column_end, column_end - column, end, last - first), panels);
    }
  }
}

// Up to 16 rows weights are read once and not copied.
constexpr int64_t kMostStreamedRows = 16;

template <class Format>
void MultiplySuperBlocks(const LinearCall& call, int64_t begin, int64_t end) {
  if (call.tokens <= kMostStreamedRows) return StreamPanels<Format>(call, begin, end);
  MultiplySuperPanels<Format>(call, begin, end);
}

ActivationForm SuperForm(int64_t tokens) {
  return tokens <= kMostStreamedRows ? ActivationForm::kInt8Streams : ActivationForm::kInt8Tiles;
}

template <class Format>
uint64_t SuperScratchBytes(int64_t /*tokens*/, int64_t inner) {
  return static_cast<uint64_t>(PanelsAtOnce(inner) * CopyBytes<Format>(inner));
}

std::string_view SuperNumerics(int64_t, int64_t) { return "int8x128"; }

}  // namespace
}  // namespace infer::simd::i8mm
