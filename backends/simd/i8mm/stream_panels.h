// SPDX-License-Identifier: Apache-2.0
//
// Products of few rows: processes the panels in turn, by the number of rows.
#pragma once

#include "backends/simd/i8mm/int8_tile.h"
#include "backends/simd/i8mm/store_tile.h"

namespace infer::simd::i8mm {
namespace {

// Calls run(panel, destination of its results) for each panel of columns [begin, end).
template <class Format, class Run>
inline void ForEachPanel(const LinearCall& call, int64_t rows, int64_t begin, int64_t end,
                         Run run) {
  const int64_t panel_bytes = Format::PanelBytes(call.inner);
  const std::byte* panel = call.weight + begin / kPanelColumns * panel_bytes;
  for (int64_t column = begin; column < end; column += kPanelColumns, panel += panel_bytes) {
    run(panel,
        TileOut{call.out + column, call.out_stride, rows, Smaller(kPanelColumns, end - column)});
  }
}

template <class Format>
inline void StreamTile(const std::byte* panel, const Int8Tile& tile, int64_t inner, TileOut to) {
  if (tile.pairs == 1) {
    Format::template Rows<1>(panel, tile, inner, to);
  } else if (tile.pairs == 2) {
    Format::template Rows<2>(panel, tile, inner, to);
  } else if (tile.pairs == 3) {
    Format::template Rows<3>(panel, tile, inner, to);
  } else {
    Format::template Rows<4>(panel, tile, inner, to);
  }
}

// For at most kStreamTokens tokens. A weight type provides PanelBytes(inner); MakeRow(tile, inner,
// scratch), the form of a single row that OneRow needs; OneRow and Rows<kPairs> for one panel.
template <class Format>
void StreamPanels(const LinearCall& call, int64_t begin, int64_t end) {
  const Int8Tile first = TileOf(call.activations, call.tokens, call.inner, 0);
  if (call.tokens == 1) {
    const auto row = Format::MakeRow(first, call.inner, call.scratch);
    return ForEachPanel<Format>(call, 1, begin, end, [&](const std::byte* panel, TileOut to) {
      Format::OneRow(panel, row, call.inner, to);
    });
  }
  // The second tile reads the panel from the nearest cache.
  const bool has_second = call.tokens > kStreamRows;
  const Int8Tile second = TileOf(call.activations, call.tokens, call.inner, has_second ? 1 : 0);
  ForEachPanel<Format>(call, first.rows, begin, end, [&](const std::byte* panel, TileOut to) {
    StreamTile<Format>(panel, first, call.inner, to);
    if (!has_second) return;
    to.out += kStreamRows * to.stride;
    to.rows = second.rows;
    StreamTile<Format>(panel, second, call.inner, to);
  });
}

}  // namespace
}  // namespace infer::simd::i8mm
