// SPDX-License-Identifier: Apache-2.0
//
// Matrix-matrix products of int8 activation tiles with any weight type that can be converted to
// int8 panels with a scale, and optionally an offset, per block.
#pragma once

#include <arm_neon.h>

#include "backends/simd/i8mm/int8_tile.h"
#include "backends/simd/i8mm/panel_scales.h"
#include "backends/simd/i8mm/store_tile.h"

namespace infer::simd::i8mm {
namespace {

// The parts of a panel that a weight type fills in.
struct PanelToFill {
  int8_t* quants;     // memory for [inner / 8][4 column pairs][2 columns][8]
  float* scales;      // [blocks][8 columns]
  uint16_t* offsets;  // bf16 [blocks / 4][4 column pairs][2 columns][4 blocks], zeros at the end
};

// Panels that stay in L1 (64 KiB) while the tiles pass: 20 KiB of them.
constexpr int64_t kPanelBudgetBytes = 20 * 1024;
constexpr int64_t kMaxPanels = 8;
// Activations that stay in L2 (1 MiB) while the panels change. With more, two cores wait for the L3
// that they share: 512 tokens of Q8_0 with rows of 3072 on one / two threads reach 299 / 472 GOP/s
// with 2 MiB, 299 / 541 with 1 MiB, 297 / 571 with 512 KiB, 299 / 585 with 384 KiB; for rows of
// 1024 it makes no difference.
constexpr int64_t kTileBudgetBytes = 384 * 1024;

struct PanelMemory {
  int64_t quants;
  int64_t deltas;
  int64_t corrections;
  int64_t offsets;
  int64_t total() const { return quants + deltas + corrections + offsets; }
};

template <class Format>
constexpr PanelMemory MemoryOfPanel(int64_t inner) {
  const int64_t blocks = inner / Format::kElements;
  const int64_t quads = CeilDiv(blocks, 4);
  return {inner * kPanelColumns, blocks * 64, Groups(inner) * 64,
          Format::kHasOffsets ? quads * 64 : 0};
}

constexpr int64_t PanelsAtOnce(int64_t inner) {
  const int64_t panels = kPanelBudgetBytes / (inner * kPanelColumns * 5 / 4);
  return panels < 1 ? 1 : Smaller(panels, kMaxPanels);
}

// The scratch memory begins with the scales of the panel being loaded, followed by the panels.
template <class Format>
constexpr int64_t PanelsBytes(int64_t inner) {
  return inner / Format::kElements * kPanelColumns * 4 +
         PanelsAtOnce(inner) * MemoryOfPanel<Format>(inner).total();
}

// Number of tiles processed before the panels change.
constexpr int64_t TilesAtOnce(int64_t tokens, int64_t inner) {
  const int64_t budget = kTileBudgetBytes / (kTileRows * inner);
  return Smaller(Tiles(tokens, kTileRows), budget < 8 ? 8 : budget);
}

template <class Format>
uint64_t PanelScratchBytes(int64_t /*tokens*/, int64_t inner) {
  return static_cast<uint64_t>(PanelsBytes<Format>(inner));
}

// Adds offset * (sum of the block's activations) for each block: a product with blocks in place of
// elements, which bfmmla computes with a sixteenth of the tile's instructions.
template <int kPairs>
inline void AddOffsets(const uint16_t* sums, const uint16_t* offsets, int64_t quads,
                       TileSums<kPairs>& tile) {
  for (int64_t quad = 0; quad < quads; ++quad, sums += kPairs * 8, offsets += 32) {
    for (int j = 0; j < kColumnPairs; ++j) {
      const bfloat16x8_t v = vreinterpretq_bf16_u16(vld1q_u16(offsets + 8 * j));
      for (int r = 0; r < kPairs; ++r) {
        const bfloat16x8_t x = vreinterpretq_bf16_u16(vld1q_u16(sums + 8 * r));
        tile.at[r][j] = vbfmmlaq_f32(tile.at[r][j], x, v);
      }
    }
  }
}

template <int kElements, int kPairs>
inline void MultiplyTile(const Int8Tile& tile, const Int8Panel& panel, int64_t blocks,
                         const NextOperands& next, const TileOut& to) {
  TileSums<kPairs> sums;
  if constexpr (kPairs == 3) {
    sums = Multiply6x8<kElements>(tile, panel, blocks, next);
  } else if constexpr (kPairs < 3) {
    MultiplySmall<kElements, kPairs, 0, 4>(tile, panel, blocks, next, sums);
  } else {
    // The sums and accumulators of 8 x 8 do not fit into the registers together.
    MultiplySmall<kElements, kPairs, 0, 2>(tile, panel, blocks, next, sums);
    MultiplySmall<kElements, kPairs, 2, 2>(tile, panel, blocks, next, sums);
  }
  for (int r = 0; r < kPairs; ++r) {
    const float32x4_t scale = vld1q_f32(tile.last_scales + kPairFloats * r);
    for (int j = 0; j < kColumnPairs; ++j) sums.at[r][j] = vmulq_f32(sums.at[r][j], scale);
  }
  if (panel.offsets != nullptr) {
    AddOffsets<kPairs>(tile.bf16_sums, panel.offsets, CeilDiv(blocks, 4), sums);
  }
  StoreTile<kPairs>(sums, to);
}

template <int kElements>
inline void MultiplyAnyTile(const Int8Tile& tile, const Int8Panel& panel, int64_t blocks,
                            const NextOperands& next, const TileOut& to) {
  switch (tile.pairs) {
    case 1:
      return MultiplyTile<kElements, 1>(tile, panel, blocks, next, to);
    case 2:
      return MultiplyTile<kElements, 2>(tile, panel, blocks, next, to);
    case 3:
      return MultiplyTile<kElements, 3>(tile, panel, blocks, next, to);
    default:
      return MultiplyTile<kElements, 4>(tile, panel, blocks, next, to);
  }
}

// Format provides kElements of a block, kHasOffsets, PanelBytes(inner) of weights and Load(call,
// first column, panel to fill).
template <class Format>
inline void LoadPanels(const LinearCall& call, int64_t begin, int64_t end, Int8Panel* panels) {
  const PanelMemory memory = MemoryOfPanel<Format>(call.inner);
  const int64_t blocks = call.inner / Format::kElements;
  float* scales = reinterpret_cast<float*>(call.scratch);
  std::byte* base = call.scratch + blocks * kPanelColumns * 4;
  for (int64_t column = begin; column < end; column += kPanelColumns, base += memory.total()) {
    float* deltas = reinterpret_cast<float*>(base + memory.quants);
    float* corrections = reinterpret_cast<float*>(base + memory.quants + memory.deltas);
    uint16_t* offsets = reinterpret_cast<uint16_t*>(corrections + memory.corrections / 4);
    int8_t* quants = reinterpret_cast<int8_t*>(base);
    PanelToFill fill = {quants, scales, offsets};
    Format::Load(call, column, fill);
    ChainScales<Format::kElements>(scales, blocks, deltas, corrections);
    *panels++ = {fill.quants, deltas, corrections, Format::kHasOffsets ? offsets : nullptr};
  }
}

// The weights after the current ones, prefetched into L2 while these are multiplied: otherwise
// reading and multiplying do not overlap (12 rows of cold Q8_0: 7.9 instead of 10.8 GB/s). A single
// tile prefetches between its blocks; several tiles divide the bytes among them, which is then 40 %
// faster.
struct FollowingWeights {
  const std::byte* at;
  const std::byte* end;
  int64_t slice_bytes;

  void FetchSlice() {
    const std::byte* stop = at + slice_bytes < end ? at + slice_bytes : end;
    for (; at < stop; at += 64) __builtin_prefetch(at, 0, 2);
  }
};

template <class Format>
inline FollowingWeights Following(const LinearCall& call, int64_t column, int64_t columns,
                                  int64_t end, int64_t tiles) {
  const int64_t panels =
      Smaller(CeilDiv(columns, kPanelColumns), CeilDiv(end - column, kPanelColumns));
  if (panels <= 0) return {nullptr, nullptr, 0};
  const int64_t bytes = Format::PanelBytes(call.inner);
  const std::byte* at = call.weight + column / kPanelColumns * bytes;
  return {at, at + panels * bytes, CeilDiv(panels * bytes, panels * tiles)};
}

// Whether two tiles fit into L1 next to the panels. Prefetching tiles with 512 tokens of Q8_0,
// measured side by side on a busy machine: 299 instead of 289 GOP/s with rows of 1024, 290 instead
// of 280 with 1536, the same with 2048, 240 instead of 280 with 3072.
template <class Format>
constexpr bool FetchesTiles(int64_t inner) {
  return Format::kElements == 32 && inner <= 1536;
}

// Multiplies tiles [first, last) with the panels of columns [begin, end), which are loaded.
template <class Format>
inline void MultiplyTiles(const LinearCall& call, int64_t first, int64_t last, int64_t begin,
                          int64_t end, FollowingWeights following, const Int8Panel* panels) {
  const int64_t blocks = call.inner / Format::kElements;
  for (int64_t t = first; t < last; ++t) {
    const Int8Tile tile = TileOf(call.activations, call.tokens, call.inner, t, kTileRows);
    for (int64_t column = begin; column < end; column += kPanelColumns) {
      const int64_t place = t * kTileRows * call.out_stride + column;
      NextOperands next = {nullptr, 0};
      if (last - first > 1) {
        following.FetchSlice();
        const bool last_panel = column + kPanelColumns >= end;
        if (last_panel && t + 1 < last && FetchesTiles<Format>(call.inner)) {
          const Int8Tile following_tile =
              TileOf(call.activations, call.tokens, call.inner, t + 1, kTileRows);
          next = {reinterpret_cast<const std::byte*>(following_tile.quants), 0, true};
        }
      } else if (following.at < following.end) {
        next = {following.at, CeilDiv(following.slice_bytes, blocks)};
        following.at += following.slice_bytes;
      }
      MultiplyAnyTile<Format::kElements>(
          tile, panels[(column - begin) / kPanelColumns], blocks, next,
          {call.out + place, call.out_stride, tile.rows, Smaller(kPanelColumns, end - column)});
    }
  }
}

template <class Format>
void MultiplyPanels(const LinearCall& call, int64_t begin, int64_t end) {
  const int64_t tiles = Tiles(call.tokens, kTileRows);
  const int64_t width = PanelsAtOnce(call.inner) * kPanelColumns;
  const int64_t tiles_at_once = TilesAtOnce(call.tokens, call.inner);
  Int8Panel panels[kMaxPanels];
  for (int64_t first = 0; first < tiles; first += tiles_at_once) {
    const int64_t last = Smaller(first + tiles_at_once, tiles);
    for (int64_t column = begin; column < end; column += width) {
      const int64_t column_end = Smaller(column + width, end);
      LoadPanels<Format>(call, column, column_end, panels);
      const FollowingWeights following =
          Following<Format>(call, column_end, column_end - column, end, last - first);
      MultiplyTiles<Format>(call, first, last, column, column_end, following, panels);
    }
  }
}

}  // namespace
}  // namespace infer::simd::i8mm
