// SPDX-License-Identifier: Apache-2.0
//
// Products of a few rows with the bits of tile_product.h, without tiles: of every 32 elements the
// even and the odd products are added up apart, then to each other, then to the sum, as the tile
// instruction does it. Products of bf16 are exact in f32, so that a fused multiply-add rounds as an
// addition does. A tile would be stored, loaded and multiplied as if it had 16 rows.
#pragma once

#include "backends/simd/amx/bf16_rows.h"
#include "backends/simd/amx/widen_panel.h"
#include "backends/simd/panels/panel_tiles.h"

namespace infer::simd::INFER_SIMD_LEVEL {
namespace {

constexpr int kFewRows = 4;

// Rows as f32, [row][chunk][16 even elements, 16 odd ones]: each is an operand of its own then.
constexpr int64_t FewRowsScratchBytes(int64_t inner) {
  return kFewRows * TilesOf(inner, kTileElements) * kTileElements * 4;
}

inline void SpreadRows(const LinearCall& call, float* to) {
  for (int64_t row = 0; row < call.tokens; ++row) {
    const std::byte* from = call.activations + row * 64;
    for (int64_t c = 0; c < TilesOf(call.inner, kTileElements); ++c, to += kTileElements) {
      Store16(to, LoadBf16Even(from + c * kTileBytes));
      Store16(to + 16, LoadBf16Odd(from + c * kTileBytes));
    }
  }
}

template <class Widener, int kRows>
void MultiplyFewPanel(const LinearCall& call, const std::byte* panel, const float* x,
                      const PanelOut& out) {
  const int64_t chunks = TilesOf(call.inner, kTileElements);
  const int64_t chunk_bytes =
      Widener::ChunkOffset(call.inner, 1) - Widener::ChunkOffset(call.inner, 0);
  Floats16 sums[kRows][2];
  for (auto& row : sums) row[0] = row[1] = Set16(0);
  for (int64_t c = 0; c < chunks; ++c, x += kTileElements) {
    const std::byte* ahead = panel + Widener::ChunkOffset(call.inner, c) + kFetchBytes;
    for (int64_t line = 0; line < chunk_bytes; line += 64) FetchAhead(ahead + line);
    for (int h = 0; h < 2; ++h) {
      Floats16 even[kRows], odd[kRows];
      for (int r = 0; r < kRows; ++r) even[r] = odd[r] = Set16(0);
      Widener::ForPairs(panel, call.inner, c, h,
                        [&](int pair, Floats16 w_even, Floats16 w_odd) INFER_SIMD_INLINE {
                          const Floats16 w[2] = {Widener::Rounded(w_even), Widener::Rounded(w_odd)};
                          for (int r = 0; r < kRows; ++r) {
                            const float* at = x + r * chunks * kTileElements + pair;
                            even[r] = Fma16(w[0], Set16(at[0]), even[r]);
                            odd[r] = Fma16(w[1], Set16(at[16]), odd[r]);
                          }
                        });
      for (int r = 0; r < kRows; ++r) sums[r][h] = Add16(sums[r][h], Add16(even[r], odd[r]));
    }
  }
  StoreTile(sums, 0, 0, out);
}

template <class Widener, int kRows>
[[gnu::always_inline]] inline void MultiplyFewRows(const LinearCall& call, const std::byte* panel,
                                                   const float* x, const PanelOut& out) {
  if constexpr (kRows > 0) {
    if (call.tokens == kRows) return MultiplyFewPanel<Widener, kRows>(call, panel, x, out);
    MultiplyFewRows<Widener, kRows - 1>(call, panel, x, out);
  }
}

// Requires at most kFewRows rows.
template <class Widener, DType kType>
void MultiplyFew(const LinearCall& call, int64_t begin, int64_t end) {
  const int64_t panel_bytes = PanelBytesOf<kType>(call.inner);
  float* x = reinterpret_cast<float*>(call.scratch);
  SpreadRows(call, x);
  for (int64_t column = begin; column < end; column += kPanelColumns) {
    const std::byte* panel = call.weight + column / kPanelColumns * panel_bytes;
    const PanelOut out = {call.out + column, call.out_stride, end - column};
    MultiplyFewRows<Widener, kFewRows>(call, panel, x, out);
  }
}

}  // namespace
}  // namespace infer::simd::INFER_SIMD_LEVEL
