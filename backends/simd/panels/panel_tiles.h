// SPDX-License-Identifier: Apache-2.0
//
// The loops around the tiles of panel products: rows in groups that fit the registers, panels in
// the order of their addresses.
#pragma once

#include "backends/simd/isa/linear_kernel.h"
#include "backends/simd/isa/wide.h"
#include "backends/simd/panels/panel_formats.h"

namespace infer::simd::INFER_SIMD_LEVEL {
namespace {

// Weights are prefetched this far ahead, into L2: on a Xeon one token of Q8_0 reads 14.4 GB/s per
// thread instead of 12.5.
constexpr int64_t kFetchBytes = 8192;
// Activations that stay in L2 while the panels pass.
constexpr int64_t kRowsInL2Bytes = 384 * 1024;

// Where the results of a panel go; the last panel of a weight may have fewer columns.
struct PanelOut {
  float* at;
  int64_t stride;
  int64_t columns;
};

template <int kRows, int kHalves>
[[gnu::always_inline]] inline void StoreTile(const Floats16 (&sums)[kRows][kHalves], int64_t token,
                                             int first, const PanelOut& out) {
  for (int r = 0; r < kRows; ++r) {
    float* row = out.at + (token + r) * out.stride;
    for (int h = 0; h < kHalves; ++h) {
      const int64_t left = out.columns - (first + h) * kHalfColumns;
      if (left >= kHalfColumns) {
        Store16(row + (first + h) * kHalfColumns, sums[r][h]);
      } else if (left > 0) {
        StorePart16(row + (first + h) * kHalfColumns, sums[r][h], left);
      }
    }
  }
}

template <class Product, int kRows>
[[gnu::always_inline]] inline void MultiplyRows(const LinearCall& call, const std::byte* panel,
                                                int64_t token, bool fetch, const PanelOut& out) {
  if constexpr (kRows <= kBothHalvesRows) {
    Product::template Run<kRows, 2>(call, panel, token, 0, fetch, out);
  } else {
    Product::template Run<kRows, 1>(call, panel, token, 0, fetch, out);
    Product::template Run<kRows, 1>(call, panel, token, 1, false, out);
  }
}

// Fewer rows than a whole group.
template <class Product, int kRows>
[[gnu::always_inline]] inline void MultiplyRest(const LinearCall& call, const std::byte* panel,
                                                int64_t token, int64_t rows, bool fetch,
                                                const PanelOut& out) {
  if constexpr (kRows > 0) {
    if (rows == kRows) return MultiplyRows<Product, kRows>(call, panel, token, fetch, out);
    MultiplyRest<Product, kRows - 1>(call, panel, token, rows, fetch, out);
  }
}

// Rows [token, last) of one panel. Groups of nearly equal size: 8 rows are 4 + 4 and not 6 + 2.
template <class Product>
inline void MultiplyPanel(const LinearCall& call, const std::byte* panel, int64_t token,
                          int64_t last, bool fetch, const PanelOut& out) {
  while (token < last) {
    const int64_t left = last - token;
    const int64_t groups = (left + kWideRows - 1) / kWideRows;
    const int64_t rows = (left + groups - 1) / groups;
    MultiplyRest<Product, kWideRows>(call, panel, token, rows, fetch, out);
    fetch = false;
    token += rows;
  }
}

// Product::Run<kRows, kHalves> computes a tile. If Product::kExpands, many rows are multiplied with
// an expanded copy of the panel by Product::OfBytes. kRowBytes is the size of an activation row.
template <class Product, DType kType, int64_t (*kRowBytes)(int64_t inner)>
void MultiplyPanels(const LinearCall& call, int64_t begin, int64_t end) {
  const int64_t panel_bytes = PanelBytesOf<kType>(call.inner);
  const int64_t fit = kRowsInL2Bytes / kRowBytes(call.inner) / kWideRows * kWideRows;
  const int64_t at_once = fit < 4 * kWideRows ? 4 * kWideRows : fit;
  for (int64_t token = 0; token < call.tokens; token += at_once) {
    const int64_t last = call.tokens - token < at_once ? call.tokens : token + at_once;
    for (int64_t column = begin; column < end; column += kPanelColumns) {
      const std::byte* panel = call.weight + column / kPanelColumns * panel_bytes;
      const PanelOut out = {call.out + column, call.out_stride, end - column};
      if constexpr (Product::kExpands) {
        if (last - token > kWideRows) {
          Product::Expand(panel, call.inner, call.scratch);
          MultiplyPanel<typename Product::OfBytes>(call, call.scratch, token, last, false, out);
          continue;
        }
      }
      MultiplyPanel<Product>(call, panel, token, last, true, out);
    }
  }
}

}  // namespace
}  // namespace infer::simd::INFER_SIMD_LEVEL
