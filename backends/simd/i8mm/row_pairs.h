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

// Pairs that are multiplied together with weights as they are stored, for few rows, and with copies
// of them: the sums of 8 pairs and 4 columns are 16 registers.
constexpr int64_t kStreamPairs = 4;
constexpr int64_t kTilePairs = 8;
constexpr int64_t kStreamRows = 16;  // at most, in tiles of kStreamPairs

constexpr int64_t CeilDiv(int64_t a, int64_t b) { return (a + b - 1) / b; }
constexpr int64_t Smaller(int64_t a, int64_t b) { return a < b ? a : b; }

// 32 elements of a pair: int8 [4 steps][2 rows][8], then the scales {r0, r0, r1, r1} in f32.
constexpr int64_t kPairChunkBytes = 80;
// Of the 32 elements, the first and the last 16: {r0, r0, r1, r1}.
constexpr int64_t kPairSumFloats = 12;
constexpr int64_t kPairBytesPerChunk = kPairChunkBytes + kPairSumFloats * 4;

// Rows that are multiplied together, an odd last one with a row of zeros.
struct PairTile {
  int64_t pairs;
  const std::byte* chunks;  // [inner / 32][pairs][kPairChunkBytes]
  const float* sums;        // [inner / 32][pairs][kPairSumFloats]
};

constexpr int64_t Pairs(int64_t tokens) { return CeilDiv(tokens, 2); }
constexpr int64_t Tiles(int64_t tokens) {
  return CeilDiv(Pairs(tokens), tokens <= kStreamRows ? kStreamPairs : kTilePairs);
}
// Tiles of nearly equal size: 9 pairs are 5 + 4 and not 8 + 1.
constexpr int64_t PairsOfTile(int64_t tokens) { return CeilDiv(Pairs(tokens), Tiles(tokens)); }

inline PairTile TileAt(const std::byte* activations, int64_t tokens, int64_t inner, int64_t tile) {
  const int64_t first = tile * PairsOfTile(tokens), chunks = inner / 32;
  const int64_t pairs = Smaller(PairsOfTile(tokens), Pairs(tokens) - first);
  const std::byte* base = activations + first * chunks * kPairBytesPerChunk;
  return {pairs, base, reinterpret_cast<const float*>(base + chunks * pairs * kPairChunkBytes)};
}

}  // namespace
}  // namespace infer::simd::i8mm
