// SPDX-License-Identifier: Apache-2.0
//
// Activations as int8 for matrix instructions: rows in pairs, pairs in tiles, one scale per row and
// group of 128 elements.
//
// All headers of this folder define everything in an unnamed namespace: these files are compiled
// for one instruction set, and no object compiled for another may link to their inline functions.
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "backends/simd/isa/linear_kernel.h"

namespace infer::simd::i8mm {

extern const ActivationMaker kInt8StreamsMaker;
extern const ActivationMaker kInt8TilesMaker;

namespace {

// Elements of a row that share a scale: the weights' own scales, of 16 or 32 elements, are
// integers, so that integer sums are scaled and added up for a whole group. llama.cpp has groups of
// 256 here. RMS error of a product of 3072 gaussian values (in parentheses with 4 channels 20 times
// as large), and speed of 512 tokens on a Neoverse V1:
//   64: 6.0e-3 (1.2e-2), 250 GOP/s   128: 6.5e-3 (1.6e-2), 295   256: 7.0e-3 (2.2e-2), 320
constexpr int64_t kGroup = 128;
constexpr int64_t kBlock = 32;  // elements that share a scale in most weight types
constexpr int64_t kGroupBlocks = kGroup / kBlock;

// Weights stream through up to 8 rows at a time (kInt8Streams); products of 6 rows with 8 columns
// keep all sums in registers (kInt8Tiles).
constexpr int64_t kStreamRows = 8;
constexpr int64_t kTileRows = 6;
constexpr int64_t kPairFloats = 4;  // the value of each row of a pair, twice: {r0, r0, r1, r1}

constexpr int64_t Smaller(int64_t a, int64_t b) { return a < b ? a : b; }
constexpr int64_t CeilDiv(int64_t a, int64_t b) { return (a + b - 1) / b; }
constexpr int64_t Groups(int64_t inner) { return CeilDiv(inner, kGroup); }
constexpr int64_t Tiles(int64_t tokens, int64_t tile_rows) { return CeilDiv(tokens, tile_rows); }

// One tile of `pairs` row pairs. An odd last row is paired with zeros.
//
// Groups are chained by ratios instead of scales: with sums in units of the current group's scale,
// the running sum is multiplied by ratio[g] = scale[g - 1] / scale[g] when group g begins, and by
// the last scale at the end. A product then needs no second set of sums.
struct Int8Tile {
  int64_t rows;
  int64_t pairs;
  const int8_t* quants;       // [inner / 8][pairs][2 rows][8]
  const float* ratios;        // [groups][pairs][2 rows][2 equal values]; ratios[0] is 0
  const float* last_scales;   // [pairs][2 rows][2 equal values]
  const uint16_t* bf16_sums;  // [groups][pairs][2 rows][4 blocks], in units of the activations
  // The sum of a block's quants is 64 * high + low.
  const int8_t* split_sums;    // [groups][pairs][2 rows][high, low][4 blocks]
  const uint16_t* exact_sums;  // bf16 [groups][pairs][64 * high, low][2 rows][4 blocks]
};

struct Int8TileSizes {
  int64_t pairs;
  int64_t scales_offset;
  int64_t bf16_sums_offset;
  int64_t split_sums_offset;
  int64_t exact_sums_offset;
  int64_t bytes;
};

constexpr Int8TileSizes TileSizes(int64_t rows, int64_t inner) {
  const int64_t pairs = CeilDiv(rows, 2);
  const int64_t groups = Groups(inner);
  const int64_t scales = CeilDiv(pairs * 2 * inner, 64) * 64;
  const int64_t bf16_sums = scales + pairs * (groups + 1) * kPairFloats * 4;
  const int64_t split_sums = bf16_sums + pairs * groups * 16;
  const int64_t exact_sums = split_sums + pairs * groups * 16;
  const int64_t end = exact_sums + pairs * groups * 32;
  return {pairs, scales, bf16_sums, split_sums, exact_sums, CeilDiv(end, 64) * 64};
}

// All tiles but the last have the same number of rows.
inline Int8Tile TileOf(const std::byte* activations, int64_t tokens, int64_t inner, int64_t tile,
                       int64_t tile_rows) {
  const int64_t rows = Smaller(tile_rows, tokens - tile * tile_rows);
  const Int8TileSizes sizes = TileSizes(rows, inner);
  const std::byte* base = activations + tile * TileSizes(tile_rows, inner).bytes;
  const float* ratios = reinterpret_cast<const float*>(base + sizes.scales_offset);
  return {rows,
          sizes.pairs,
          reinterpret_cast<const int8_t*>(base),
          ratios,
          ratios + Groups(inner) * sizes.pairs * kPairFloats,
          reinterpret_cast<const uint16_t*>(base + sizes.bf16_sums_offset),
          reinterpret_cast<const int8_t*>(base + sizes.split_sums_offset),
          reinterpret_cast<const uint16_t*>(base + sizes.exact_sums_offset)};
}

}  // namespace
}  // namespace infer::simd::i8mm
