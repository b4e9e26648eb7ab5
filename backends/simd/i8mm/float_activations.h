// SPDX-License-Identifier: Apache-2.0
//
// The memory layout of activations in the forms of this level.
#pragma once

#include <stdint.h>

#include "backends/simd/isa/linear_kernel.h"

namespace infer::simd::i8mm {

extern const ActivationMaker kF16RowsMaker;
extern const ActivationMaker kBf16TilesMaker;

namespace {

// The scales of all rows come first, then the numbers.
inline int64_t ScaleBytes(int64_t tokens) { return (tokens * 4 + 63) / 64 * 64; }

// kF16Rows: rows of f16, padded with zeros.
inline int64_t PaddedHalves(int64_t inner) { return (inner + 31) / 32 * 32; }

inline const float* RowScales(const LinearCall& call) {
  return reinterpret_cast<const float*>(call.activations);
}
inline const uint16_t* HalfRow(const LinearCall& call, int64_t token) {
  const auto* rows = reinterpret_cast<const uint16_t*>(call.activations + ScaleBytes(call.tokens));
  return rows + token * PaddedHalves(call.inner);
}

// kBf16Tiles: groups of 6 rows in the layout of bf16_tile.h, inner padded to whole vectors of 8.
constexpr int64_t kGroupTokens = 6;

inline int64_t Groups(int64_t tokens) { return (tokens + kGroupTokens - 1) / kGroupTokens; }
inline int64_t PairsInGroup(int64_t tokens, int64_t group) {
  const int64_t left = tokens - group * kGroupTokens;
  return ((left < kGroupTokens ? left : kGroupTokens) + 1) / 2;
}
inline int64_t PaddedInner(int64_t inner) { return (inner + 7) / 8 * 8; }
inline const uint16_t* TileGroup(const LinearCall& call, int64_t group) {
  const auto* tiles = reinterpret_cast<const uint16_t*>(call.activations + ScaleBytes(call.tokens));
  return tiles + group * kGroupTokens * PaddedInner(call.inner);
}

}  // namespace
}  // namespace infer::simd::i8mm
