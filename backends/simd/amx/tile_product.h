// SPDX-License-Identifier: Apache-2.0
//
// Products of bf16 tiles with panels that are widened to bf16 as they are needed. The error is that
// of bf16, 2.4e-3, whatever the weight type and however far some activations are above the others.
#pragma once

#include "backends/simd/amx/bf16_rows.h"
#include "backends/simd/amx/widen_panel.h"
#include "backends/simd/isa/tiles.h"

namespace infer::simd::INFER_SIMD_LEVEL {
namespace {

// Elements that are widened at a time: 32 columns of them are 16 KiB, which stay in L1 while the
// rows stream from L2. 32 KiB do not, beside the rows and where a sibling thread uses the same L1:
// 16 rows take 1.4 times as long then, 256 rows 1.15 times.
constexpr int64_t kBlockChunks = 8;
// Rows that pass over one widened block; their sums are in the scratch memory between blocks.
constexpr int64_t kRowTilesAtOnce = 32;
constexpr int64_t kSumFloats = 512;  // of a tile of rows: 16 x 32

struct TileScratch {
  uint16_t* weights;  // [kBlockChunks][2 halves] tiles
  float* sums;        // [kRowTilesAtOnce][2 halves][16][16]
  float* edge;        // [16][32]
};

constexpr int64_t kTileScratchBytes =
    kBlockChunks * kWideChunkBytes + (kRowTilesAtOnce + 1) * kSumFloats * 4;

inline TileScratch ScratchOf(const LinearCall& call) {
  TileScratch s;
  s.weights = reinterpret_cast<uint16_t*>(call.scratch);
  s.sums = reinterpret_cast<float*>(call.scratch + kBlockChunks * kWideChunkBytes);
  s.edge = s.sums + kRowTilesAtOnce * kSumFloats;
  return s;
}

// Weights that are needed next, fetched into L2 while tiles are multiplied.
struct NextWeights {
  const std::byte* at;
  const std::byte* end;
  int64_t slice;

  void FetchSlice() {
    const std::byte* stop = end - at < slice ? end : at + slice;
    for (; at < stop; at += 64) FetchAhead(at);
  }
};

// Both halves of a panel with one or two tiles of rows: registers 0 to 3 are the sums, 4 and 5 the
// rows, 6 and 7 the weights. With two tiles of rows a tile is loaded for each product instead of
// one and a half for each.
template <int kRowTiles>
[[gnu::always_inline]] inline void MultiplyBlock(Tiles& tiles, const std::byte* rows,
                                                 int64_t row_stride, const uint16_t* weights,
                                                 int64_t chunks) {
  for (int64_t c = 0; c < chunks; ++c, rows += kTileBytes, weights += kWideChunkBytes / 2) {
    tiles.Load<4>(rows, 64);
    tiles.Load<6>(weights, 64);
    tiles.DotBf16<0, 4, 6>();
    tiles.Load<7>(weights + kWideChunkBytes / 4, 64);
    tiles.DotBf16<1, 4, 7>();
    if constexpr (kRowTiles == 2) {
      tiles.Load<5>(rows + row_stride, 64);
      tiles.DotBf16<2, 5, 6>();
      tiles.DotBf16<3, 5, 7>();
    }
  }
}

// The sums of one tile of rows in two registers, to the result. Both may end at the edge of the
// result.
template <int kSum>
inline void StoreResult(Tiles& tiles, const LinearCall& call, int64_t row_tile, int64_t column,
                        int64_t end, float* edge) {
  float* out = call.out + row_tile * kTileRows * call.out_stride + column;
  const int64_t left = call.tokens - row_tile * kTileRows;
  const int64_t columns = end - column;
  if (left >= kTileRows && columns >= kPanelColumns) {
    tiles.Store<kSum>(out, call.out_stride * 4);
    tiles.Store<kSum + 1>(out + kHalfColumns, call.out_stride * 4);
    return;
  }
  tiles.Store<kSum>(edge, 128);
  tiles.Store<kSum + 1>(edge + kHalfColumns, 128);
  for (int64_t r = 0; r < (left < kTileRows ? left : kTileRows); ++r) {
    for (int64_t i = 0; i < (columns < kPanelColumns ? columns : kPanelColumns); ++i) {
      out[r * call.out_stride + i] = edge[r * kPanelColumns + i];
    }
  }
}

// Chunks [begin, end) of one panel, whose columns are [column, column_end) of the result.
struct PanelBlock {
  int64_t begin;
  int64_t end;
  int64_t column;
  int64_t column_end;
};

template <int kSum>
inline void LoadSums(Tiles& tiles, const float* sums, bool is_first) {
  if (is_first) {
    tiles.Zero<kSum>();
    tiles.Zero<kSum + 1>();
  } else {
    tiles.Load<kSum>(sums, 64);
    tiles.Load<kSum + 1>(sums + kSumFloats / 2, 64);
  }
}

template <int kSum>
inline void KeepSums(Tiles& tiles, float* sums) {
  tiles.Store<kSum>(sums, 64);
  tiles.Store<kSum + 1>(sums + kSumFloats / 2, 64);
}

// kRowTiles tiles of rows from tile `t` on; `sums` are theirs.
template <int kRowTiles>
inline void MultiplyRowTiles(Tiles& tiles, const LinearCall& call, const TileScratch& scratch,
                             int64_t t, float* sums, const PanelBlock& block) {
  LoadSums<0>(tiles, sums, block.begin == 0);
  if constexpr (kRowTiles == 2) LoadSums<2>(tiles, sums + kSumFloats, block.begin == 0);
  const int64_t row_stride = RowTileBytes(call.inner);
  MultiplyBlock<kRowTiles>(tiles, call.activations + t * row_stride + block.begin * kTileBytes,
                           row_stride, scratch.weights, block.end - block.begin);
  if (block.end == TilesOf(call.inner, kTileElements)) {
    StoreResult<0>(tiles, call, t, block.column, block.column_end, scratch.edge);
    if constexpr (kRowTiles == 2) {
      StoreResult<2>(tiles, call, t + 1, block.column, block.column_end, scratch.edge);
    }
    return;
  }
  KeepSums<0>(tiles, sums);
  if constexpr (kRowTiles == 2) KeepSums<2>(tiles, sums + kSumFloats);
}

// Tiles of rows [first, last).
inline void MultiplyRows(Tiles& tiles, const LinearCall& call, const TileScratch& scratch,
                         int64_t first, int64_t last, const PanelBlock& block, NextWeights next) {
  float* sums = scratch.sums;
  int64_t t = first;
  for (; t + 2 <= last; t += 2, sums += 2 * kSumFloats) {
    next.FetchSlice();
    next.FetchSlice();
    MultiplyRowTiles<2>(tiles, call, scratch, t, sums, block);
  }
  if (t == last) return;
  next.FetchSlice();
  MultiplyRowTiles<1>(tiles, call, scratch, t, sums, block);
}

template <class Widener, DType kType>
void MultiplyTiles(const LinearCall& call, int64_t begin, int64_t end) {
  const int64_t panel_bytes = PanelBytesOf<kType>(call.inner);
  const int64_t chunks = TilesOf(call.inner, kTileElements);
  const int64_t row_tiles = TilesOf(call.tokens, kTileRows);
  const TileScratch scratch = ScratchOf(call);
  Tiles tiles;
  for (int64_t first = 0; first < row_tiles; first += kRowTilesAtOnce) {
    const int64_t last = row_tiles - first < kRowTilesAtOnce ? row_tiles : first + kRowTilesAtOnce;
    for (int64_t column = begin; column < end; column += kPanelColumns) {
      const std::byte* panel = call.weight + column / kPanelColumns * panel_bytes;
      for (int64_t c = 0; c < chunks; c += kBlockChunks) {
        const int64_t stop = chunks - c < kBlockChunks ? chunks : c + kBlockChunks;
        Widener::Widen(panel, call.inner, c, stop, scratch.weights);
        NextWeights next = {panel + Widener::ChunkOffset(call.inner, stop),
                            panel + Widener::ChunkOffset(call.inner, stop + kBlockChunks), 0};
        next.slice = TilesOf(next.end - next.at, (last - first) * 64) * 64;
        MultiplyRows(tiles, call, scratch, first, last, {c, stop, column, end}, next);
      }
    }
  }
}

}  // namespace
}  // namespace infer::simd::INFER_SIMD_LEVEL
