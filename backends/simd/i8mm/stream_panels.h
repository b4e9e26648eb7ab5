// SPDX-License-Identifier: Apache-2.0
//
// Products of few rows: the panels in turn, by the number of row pairs.
#pragma once

#include "backends/simd/i8mm/int8_tile.h"
#include "backends/simd/i8mm/store_tile.h"

namespace infer::simd::i8mm {
namespace {

// At most kStreamTokens tokens; a weight type has PanelBytes(inner), and
// OneRow and Rows<kPairs> for one panel.
template <class Format>
void StreamPanels(const LinearCall& call, int64_t begin, int64_t end) {
  const int64_t panel_bytes = Format::PanelBytes(call.inner);
  const Int8Tile tile = TileOf(call.activations, call.tokens, call.inner, 0);
  const std::byte* panel = call.weight + begin / kPanelColumns * panel_bytes;
  for (int64_t column = begin; column < end; column += kPanelColumns, panel += panel_bytes) {
    const float* residual = call.residual == nullptr ? nullptr : call.residual + column;
    const TileOut to = {call.out + column, residual, call.out_stride, tile.rows,
                        Smaller(kPanelColumns, end - column)};
    if (tile.rows == 1) {
      Format::OneRow(panel, tile, call.inner, to);
    } else if (tile.pairs == 1) {
      Format::template Rows<1>(panel, tile, call.inner, to);
    } else if (tile.pairs == 2) {
      Format::template Rows<2>(panel, tile, call.inner, to);
    } else if (tile.pairs == 3) {
      Format::template Rows<3>(panel, tile, call.inner, to);
    } else {
      Format::template Rows<4>(panel, tile, call.inner, to);
    }
  }
}

}  // namespace
}  // namespace infer::simd::i8mm
