// SPDX-License-Identifier: Apache-2.0
//
// ActivationForm::kInt8Pairs: the numbers of kInt8Rows in the order of smmla, which multiplies two
// rows with two columns.
//
// All headers of this folder define everything in an unnamed namespace: these files are compiled
// for one instruction set, and no object compiled for another may link to their inline functions.
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "backends/simd/isa/linear_kernel.h"

namespace infer::simd::i8mm {

extern const ActivationMaker kInt8PairsMaker;

namespace {

// Up to so many rows are one tile, for weights as they are stored; more rows are in tiles of
// kTilePairs (quad_tile.h).
constexpr int64_t kStreamRows = 16;
constexpr int64_t kTilePairs = 3;

constexpr int64_t CeilDiv(int64_t a, int64_t b) { return (a + b - 1) / b; }
constexpr int64_t Smaller(int64_t a, int64_t b) { return a < b ? a : b; }

// 32 elements of a pair: int8 [4 steps][2 rows][8], then the scales {r0, r0, r1, r1} in f32.
constexpr int64_t kPairChunkBytes = 80;
// Of the 32 elements, the first and the last 16: {r0, r0, r1, r1}.
constexpr int64_t kPairSumFloats = 12;
constexpr int64_t kPairBytesPerChunk = kPairChunkBytes + kPairSumFloats * 4;

// Rows whose chunks lie side by side, an odd last one with a row of zeros; or some pairs of them.
struct PairTile {
  int64_t pairs;
  int64_t stride;           // in pairs, from one chunk to the next
  const std::byte* chunks;  // [inner / 32][stride][kPairChunkBytes]
  const float* sums;        // [inner / 32][stride][kPairSumFloats]

  PairTile Part(int64_t first, int64_t count) const {
    return {count, stride, chunks + first * kPairChunkBytes, sums + first * kPairSumFloats};
  }
};

constexpr int64_t Pairs(int64_t tokens) { return CeilDiv(tokens, 2); }
constexpr int64_t Tiles(int64_t tokens) {
  return tokens <= kStreamRows ? 1 : CeilDiv(Pairs(tokens), kTilePairs);
}
// Tiles of nearly equal size.
constexpr int64_t PairsOfTile(int64_t tokens) { return CeilDiv(Pairs(tokens), Tiles(tokens)); }

inline PairTile TileAt(const std::byte* activations, int64_t tokens, int64_t inner, int64_t tile) {
  const int64_t first = tile * PairsOfTile(tokens), chunks = inner / 32;
  const int64_t pairs = Smaller(PairsOfTile(tokens), Pairs(tokens) - first);
  const std::byte* base = activations + first * chunks * kPairBytesPerChunk;
  return {pairs, pairs, base,
          reinterpret_cast<const float*>(base + chunks * pairs * kPairChunkBytes)};
}

}  // namespace
}  // namespace infer::simd::i8mm
