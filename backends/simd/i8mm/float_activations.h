// SPDX-License-Identifier: Apache-2.0
//
// The memory layout of activations as bf16 tiles.
#pragma once

#include <stdint.h>

#include "backends/simd/isa/linear_kernel.h"

namespace infer::simd::i8mm {

extern const ActivationMaker kBf16TilesMaker;

namespace {

// kBf16Tiles: groups of 6 rows in the layout of bf16_tile.h, inner padded to whole vectors of 8.
constexpr int64_t kGroupTokens = 6;

inline int64_t Groups(int64_t tokens) { return (tokens + kGroupTokens - 1) / kGroupTokens; }
inline int64_t PairsInGroup(int64_t tokens, int64_t group) {
  const int64_t left = tokens - group * kGroupTokens;
  return ((left < kGroupTokens ? left : kGroupTokens) + 1) / 2;
}
inline int64_t PaddedInner(int64_t inner) { return (inner + 7) / 8 * 8; }
inline const uint16_t* TileGroup(const LinearCall& call, int64_t group) {
  const auto* tiles = reinterpret_cast<const uint16_t*>(call.activations);
  return tiles + group * kGroupTokens * PaddedInner(call.inner);
}

}  // namespace
}  // namespace infer::simd::i8mm
