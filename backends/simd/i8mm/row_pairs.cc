// SPDX-License-Identifier: Apache-2.0
#include "backends/simd/i8mm/row_pairs.h"

#include <arm_neon.h>
#include <string.h>

#include "backends/simd/vector/quantize.h"

namespace infer::simd::i8mm {
namespace {

uint64_t Bytes(int64_t tokens, int64_t inner) {
  return static_cast<uint64_t>(Pairs(tokens) * (inner / 32) * kPairBytesPerChunk);
}

// A few rows are divided by elements too: decoding waits for this and nothing else.
constexpr int64_t kUnitChunks = 16;
int64_t UnitsOfPair(int64_t tokens, int64_t inner) {
  return tokens <= kStreamRows ? CeilDiv(inner / 32, kUnitChunks) : 1;
}

int64_t Units(int64_t tokens, int64_t inner) { return Pairs(tokens) * UnitsOfPair(tokens, inner); }

// One row of a pair; `half` is 0 or 1.
inline void StoreBlock(const RoundedBlock& block, int half, std::byte* chunk, float* sums) {
  for (int step = 0; step < 4; ++step) {
    memcpy(chunk + 16 * step + 8 * half, block.quants + 8 * step, 8);
  }
  vst1_f32(reinterpret_cast<float*>(chunk + 64) + 2 * half, vdup_n_f32(block.scale));
  vst1_f32(sums + 2 * half, vdup_n_f32(block.sums[0] + block.sums[1]));
  vst1_f32(sums + 4 + 2 * half, vdup_n_f32(block.sums[0]));
  vst1_f32(sums + 8 + 2 * half, vdup_n_f32(block.sums[1]));
}

void Prepare(const float* x, int64_t tokens, int64_t inner, int64_t begin, int64_t end,
             std::byte* out) {
  const int64_t units = UnitsOfPair(tokens, inner);
  const int64_t unit_chunks = units == 1 ? inner / 32 : kUnitChunks;
  for (int64_t unit = begin; unit < end; ++unit) {
    const int64_t pair = unit / units, tile_pairs = PairsOfTile(tokens);
    const PairTile tile = TileAt(out, tokens, inner, pair / tile_pairs);
    const int64_t first = unit % units * unit_chunks;
    for (int64_t c = first; c < Smaller(first + unit_chunks, inner / 32); ++c) {
      const int64_t place = c * tile.pairs + pair % tile_pairs;
      std::byte* chunk = const_cast<std::byte*>(tile.chunks) + place * kPairChunkBytes;
      float* sums = const_cast<float*>(tile.sums) + place * kPairSumFloats;
      for (int half = 0; half < 2; ++half) {
        const int64_t row = 2 * pair + half;
        const RoundedBlock block =
            row < tokens ? RoundBlock(x + row * inner + c * 32) : RoundedBlock{};
        StoreBlock(block, half, chunk, sums);
      }
    }
  }
}

}  // namespace

constinit const ActivationMaker kInt8PairsMaker = {
    .bytes = Bytes, .units = Units, .prepare = Prepare};

}  // namespace infer::simd::i8mm
