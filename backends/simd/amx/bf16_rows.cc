// SPDX-License-Identifier: Apache-2.0
#include "backends/simd/amx/bf16_rows.h"

#include "backends/simd/isa/wide.h"

namespace infer::simd::INFER_SIMD_LEVEL {
namespace {

uint64_t Bytes(int64_t tokens, int64_t inner) {
  return static_cast<uint64_t>(TilesOf(tokens, kTileRows) * RowTileBytes(inner));
}

int64_t Units(int64_t tokens, int64_t /*inner*/) { return TilesOf(tokens, kTileRows); }

// One row of one tile: 32 elements, of which `count` exist.
void RoundPart(const float* x, int64_t count, uint16_t* to) {
  if (count >= kTileElements) {
    StoreBf16x16(to, LoadF32x16(x));
    StoreBf16x16(to + 16, LoadF32x16(x + 16));
    return;
  }
  float part[kTileElements] = {};
  for (int64_t i = 0; i < count; ++i) part[i] = x[i];
  StoreBf16x16(to, LoadF32x16(part));
  StoreBf16x16(to + 16, LoadF32x16(part + 16));
}

void Prepare(const float* x, int64_t tokens, int64_t inner, int64_t begin, int64_t end,
             std::byte* out) {
  for (int64_t t = begin; t < end; ++t) {
    uint16_t* tiles = reinterpret_cast<uint16_t*>(out + t * RowTileBytes(inner));
    for (int64_t row = 0; row < kTileRows; ++row) {
      const int64_t token = t * kTileRows + row;
      uint16_t* to = tiles + row * kTileElements;
      for (int64_t i = 0; i < inner; i += kTileElements, to += kTileBytes / 2) {
        RoundPart(x + token * inner + i, token < tokens ? inner - i : 0, to);
      }
    }
  }
}

}  // namespace

constinit const ActivationMaker kBf16TilesMaker = {
    .bytes = Bytes, .units = Units, .prepare = Prepare};

}  // namespace infer::simd::INFER_SIMD_LEVEL
