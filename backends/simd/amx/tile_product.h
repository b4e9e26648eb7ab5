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
// 16 rows take 1.3 times as long then, 128 rows of 3072 elements 1.25 times.
constexpr int64_t kBlockChunks = 8;
// Rows that pass over one widened block; their sums are in the scratch memory between blocks.
constexpr int64_t kRowTilesAtOnce = 32;
constexpr int64_t kSumFloats = 512;  // of a tile of rows: 16 x 32
// How far ahead of the chunk that is widened weights are fetched.
constexpr int64_t kWidenFetchBytes = 4096;

struct TileScratch {
  uint16_t* weights;  // [kBlockChunks][2 halves] tiles
  float* sums;        // [kRowTilesAtOnce][2 halves][16][16]
  float* edge;        // [16][32]
  std::byte* rows;    // [chunks of a row] tiles of the last rows
};

constexpr int64_t TileScratchBytes(int64_t inner) {
  return kBlockChunks * kWideChunkBytes + (kRowTilesAtOnce + 1) * kSumFloats * 4 +
         RowTileBytes(inner);
}

inline TileScratch ScratchOf(const LinearCall& call) {
  TileScratch s;
  s.weights = reinterpret_cast<uint16_t*>(call.scratch);
  s.sums = reinterpret_cast<float*>(call.scratch + kBlockChunks * kWideChunkBytes);
  s.edge = s.sums + kRowTilesAtOnce * kSumFloats;
  s.rows = reinterpret_cast<std::byte*>(s.edge + kSumFloats);
  return s;
}

// Consecutive chunks of a tile of rows.
struct RowChunks {
  const std::byte* first;
  int64_t row_stride = kTileElements * 2;
  int64_t chunk_stride = kTileBytes;
};

// Chunks from `begin` on of tile `t` of the rows.
inline RowChunks RowChunksOf(const LinearCall& call, const TileScratch& scratch, int64_t t,
                             int64_t begin) {
  if (call.bf16_stride == 0) {
    return {call.activations + t * RowTileBytes(call.inner) + begin * kTileBytes};
  }
  if ((t + 1) * kTileRows > call.tokens) return {scratch.rows + begin * kTileBytes};
  constexpr int64_t kChunkBytes = kTileElements * 2;
  return {call.activations + t * kTileRows * call.bf16_stride + begin * kChunkBytes,
          call.bf16_stride, kChunkBytes};
}

// Copies the last rows of bf16 if they do not fill a tile: what lies beyond them may be another
// value, which another thread writes.
inline void CopyLastRows(const LinearCall& call, const TileScratch& scratch) {
  const int64_t left = call.tokens % kTileRows;
  if (call.bf16_stride == 0 || left == 0) return;
  constexpr int64_t kChunkBytes = kTileElements * 2;
  const std::byte* rows = call.activations + (call.tokens - left) * call.bf16_stride;
  for (int64_t c = 0; c < TilesOf(call.inner, kTileElements); ++c) {
    std::byte* tile = scratch.rows + c * kTileBytes;
    for (int64_t r = 0; r < left; ++r) {
      __builtin_memcpy(tile + r * kChunkBytes, rows + r * call.bf16_stride + c * kChunkBytes,
                       kChunkBytes);
    }
    __builtin_memset(tile + left * kChunkBytes, 0,
                     static_cast<size_t>(kTileBytes - left * kChunkBytes));
  }
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

// Two products in four registers: the sums, one tile of rows, and one of weights through which both
// halves of the panel pass. Four products in eight registers are 1.15 times as fast on two CPUs,
// and on 16, of which pairs share a core, 13 % slower.
[[gnu::always_inline]] inline void MultiplyBlock(Tiles& tiles, RowChunks rows,
                                                 const uint16_t* weights, int64_t chunks) {
  for (int64_t c = 0; c < chunks; ++c, weights += kWideChunkBytes / 2) {
    tiles.Load<2>(rows.first, rows.row_stride);
    rows.first += rows.chunk_stride;
    tiles.Load<3>(weights, 64);
    tiles.DotBf16<0, 2, 3>();
    tiles.Load<3>(weights + kWideChunkBytes / 4, 64);
    tiles.DotBf16<1, 2, 3>();
  }
}

// The sums of one tile of rows, to the result. Both may end at the edge of the result.
inline void StoreResult(Tiles& tiles, const LinearCall& call, int64_t row_tile, int64_t column,
                        int64_t end, float* edge) {
  float* out = call.out + row_tile * kTileRows * call.out_stride + column;
  const int64_t left = call.tokens - row_tile * kTileRows;
  const int64_t columns = end - column;
  if (left >= kTileRows && columns >= kPanelColumns) {
    tiles.Store<0>(out, call.out_stride * 4);
    tiles.Store<1>(out + kHalfColumns, call.out_stride * 4);
    return;
  }
  tiles.Store<0>(edge, 128);
  tiles.Store<1>(edge + kHalfColumns, 128);
  for (int64_t r = 0; r < (left < kTileRows ? left : kTileRows); ++r) {
    for (int64_t i = 0; i < (columns < kPanelColumns ? columns : kPanelColumns); ++i) {
      out[r * call.out_stride + i] = edge[r * kPanelColumns + i];
    }
  }
}

// Tiles of rows [first, last), chunks [begin, end) of one panel.
inline void MultiplyRowTiles(Tiles& tiles, const LinearCall& call, const TileScratch& scratch,
                             int64_t first, int64_t last, int64_t begin, int64_t end,
                             int64_t column, int64_t column_end, NextWeights next) {
  const bool is_last = end == TilesOf(call.inner, kTileElements);
  for (int64_t t = first; t < last; ++t) {
    float* sums = scratch.sums + (t - first) * kSumFloats;
    if (begin == 0) {
      tiles.Zero<0>();
      tiles.Zero<1>();
    } else {
      tiles.Load<0>(sums, 64);
      tiles.Load<1>(sums + kSumFloats / 2, 64);
    }
    next.FetchSlice();
    MultiplyBlock(tiles, RowChunksOf(call, scratch, t, begin), scratch.weights, end - begin);
    if (is_last) {
      StoreResult(tiles, call, t, column, column_end, scratch.edge);
    } else {
      tiles.Store<0>(sums, 64);
      tiles.Store<1>(sums + kSumFloats / 2, 64);
    }
  }
}

// Up to 16 rows that are in tiles: a chunk is widened while the tile unit multiplies the one before
// it, and the sums stay in their registers. A single row takes no longer than a sum in vector
// registers would.
template <class Widener, DType kType>
void MultiplyRowTile(const LinearCall& call, int64_t begin, int64_t end) {
  const int64_t panel_bytes = PanelBytesOf<kType>(call.inner);
  const int64_t chunks = TilesOf(call.inner, kTileElements);
  const int64_t chunk_bytes =
      Widener::ChunkOffset(call.inner, 1) - Widener::ChunkOffset(call.inner, 0);
  const TileScratch scratch = ScratchOf(call);
  const auto slot = [&](int64_t c) { return scratch.weights + c % 2 * (kWideChunkBytes / 2); };
  Tiles tiles;
  for (int64_t column = begin; column < end; column += kPanelColumns) {
    const std::byte* panel = call.weight + column / kPanelColumns * panel_bytes;
    tiles.Zero<0>();
    tiles.Zero<1>();
    for (int64_t c = 0; c <= chunks; ++c) {
      if (c < chunks) {
        const std::byte* ahead = panel + Widener::ChunkOffset(call.inner, c) + kWidenFetchBytes;
        for (int64_t line = 0; line < chunk_bytes; line += 64) FetchAhead(ahead + line);
        Widener::Widen(panel, call.inner, c, c + 1, slot(c));
      }
      if (c > 0) MultiplyBlock(tiles, {call.activations + (c - 1) * kTileBytes}, slot(c - 1), 1);
    }
    StoreResult(tiles, call, 0, column, end, scratch.edge);
  }
}

template <class Widener, DType kType>
void MultiplyTiles(const LinearCall& call, int64_t begin, int64_t end) {
  const int64_t panel_bytes = PanelBytesOf<kType>(call.inner);
  const int64_t chunks = TilesOf(call.inner, kTileElements);
  const int64_t row_tiles = TilesOf(call.tokens, kTileRows);
  const TileScratch scratch = ScratchOf(call);
  CopyLastRows(call, scratch);
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
        MultiplyRowTiles(tiles, call, scratch, first, last, c, stop, column, end, next);
      }
    }
  }
}

}  // namespace
}  // namespace infer::simd::INFER_SIMD_LEVEL
