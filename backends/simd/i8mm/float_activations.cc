// SPDX-License-Identifier: Apache-2.0
#include "backends/simd/i8mm/float_activations.h"

#include <arm_neon.h>

#include "backends/simd/i8mm/bf16_tile.h"

namespace infer::simd::i8mm {
namespace {

uint64_t Bf16TilesBytes(int64_t tokens, int64_t inner) {
  return static_cast<uint64_t>((tokens + 1) / 2 * 2 * PaddedInner(inner)) * 2;
}

int64_t Bf16TilesUnits(int64_t tokens, int64_t /*inner*/) { return Groups(tokens); }

// Converts two rows; `stride` elements between the steps.
void MakeRowPair(const float* x, const float* y, int64_t inner, int64_t stride, uint16_t* out) {
  int64_t i = 0;
  for (; i + kStep <= inner; i += kStep, out += stride) {
    vst1q_u16(out, RoundToBf16(vld1q_f32(x + i), vld1q_f32(y + i)));
  }
  for (; i < PaddedInner(inner); i += kStep, out += stride) {
    float last[2][kStep] = {};
    for (int64_t j = i; j < inner; ++j) {
      last[0][j - i] = x[j];
      last[1][j - i] = y[j];
    }
    vst1q_u16(out, RoundToBf16(vld1q_f32(last[0]), vld1q_f32(last[1])));
  }
}

void MakeBf16Tiles(const float* x, int64_t tokens, int64_t inner, int64_t begin, int64_t end,
                   std::byte* out) {
  auto* tiles = reinterpret_cast<uint16_t*>(out);
  for (int64_t g = begin; g < end; ++g) {
    const int64_t pairs = PairsInGroup(tokens, g);
    uint16_t* group = tiles + g * kGroupTokens * PaddedInner(inner);
    for (int64_t p = 0; p < pairs; ++p) {
      const int64_t token = g * kGroupTokens + 2 * p;
      const int64_t other = token + 1 < tokens ? token + 1 : token;  // an odd last row is doubled
      MakeRowPair(x + token * inner, x + other * inner, inner, pairs * 8, group + p * 8);
    }
  }
}

}  // namespace

const ActivationMaker kBf16TilesMaker = {Bf16TilesBytes, Bf16TilesUnits, MakeBf16Tiles};

}  // namespace infer::simd::i8mm
