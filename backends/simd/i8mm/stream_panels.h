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

// A weight type provides PanelBytes(inner);
// MakeRow(tile, inner, scratch), the form of a single row that OneRow needs; OneRow and
// Rows<kPairs> for one panel.
template <class Format>
void StreamPanels(const LinearCall& call, int64_t begin, int64_t end) {
  if (call.tokens == 1) {
    const Int8Tile tile = TileOf(call.activations, 1, call.inner, 0, kStreamRows);
    const auto row = Format::MakeRow(tile, call.inner, call.scratch);
    return ForEachPanel<Format>(call, 1, begin, end, [&](const std::byte* panel, TileOut to) {
      Format::OneRow(panel, row, call.inner, to);
    });
  }
  // All tiles but the first read the panel from a near cache.
  const int64_t tiles = Tiles(call.tokens, kStreamRows);
  ForEachPanel<Format>(call, kStreamRows, begin, end, [&](const std::byte* panel, TileOut to) {
    for (int64_t t = 0; t < tiles; ++t, to.out += kStreamRows * to.stride) {
      const Int8Tile tile = TileOf(call.activations, call.tokens, call.inner, t, kStreamRows);
      to.rows = tile.rows;
      StreamTile<Format>(panel, tile, call.inner, to);
    }
  });
}

}  // namespace
}  // namespace infer::simd::i8mm
