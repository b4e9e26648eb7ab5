// SPDX-License-Identifier: Apache-2.0
//
// Products of quantised rows, as the file stores them, with activations in int8. A tile of a few
// rows and tokens is kept in registers; simple_formats.h and k_formats.h show what a format must
// provide.
#pragma once

#include <cstdint>

#include "backends/simd/isa/bytes.h"
#include "backends/simd/isa/linear_kernel.h"
#include "backends/simd/rows/int8_rows.h"

namespace infer::simd::INFER_SIMD_LEVEL {
namespace {

// Tokens whose activations stay in L1 while the rows pass: 32 tokens of 1024 elements are 48 KiB.
constexpr int64_t kTokensInL1 = 32;

template <class F, int kRows, int kTokens>
struct RowTile {
  using Block = typename F::Block;
  static constexpr int kChunks = Block::kElements / 32;
  static constexpr int kGroups = Block::kElements / F::kGroup;
  using Scales = TileScales<kRows, kGroups>;

  const Block* rows[kRows];
  Int8Row tokens[kTokens];
  RowSums<kRows> sums[kTokens];

  // Adds the 32 elements of chunk `kChunk` of block `b`, and those of all chunks after it.
  template <int kChunk>
  [[gnu::always_inline]] inline void AddChunk(int64_t b, const Scales& scales) {
    Bytes32 w[kRows];
    for (int r = 0; r < kRows; ++r) w[r] = F::template Quants<kChunk>(rows[r][b]);
    const int64_t chunk = b * kChunks + kChunk;
    for (int t = 0; t < kTokens; ++t) {
      const Bytes32 x = Load32(tokens[t].quants + chunk * 32);
      const float x_scale = tokens[t].scales[chunk];
      if constexpr (F::kGroup == 32) {
        sums[t].template Add32<F::kSigned>(w, x, scales.scale[kChunk], x_scale);
      } else {
        sums[t].template Add16<F::kSigned>(w, x, scales.scale[2 * kChunk],
                                           scales.scale[2 * kChunk + 1], x_scale);
      }
    }
    if constexpr (kChunk + 1 < kChunks) AddChunk<kChunk + 1>(b, scales);
  }

  [[gnu::always_inline]] inline void Run(int64_t blocks) {
    for (int t = 0; t < kTokens; ++t) sums[t].Clear();
    for (int64_t b = 0; b < blocks; ++b) {
      Scales scales;
      for (int r = 0; r < kRows; ++r) {
        typename F::Scales one;
        F::Read(rows[r][b], &one);
        scales.Set(r, one.scale, F::kHasMin ? one.min : nullptr);
      }
      AddChunk<0>(b, scales);
      if constexpr (F::kHasMin) {
        for (int t = 0; t < kTokens; ++t) {
          const float* x_sums = F::kGroup == 32 ? tokens[t].sums : tokens[t].sums_of_16;
          sums[t].AddMins(scales, x_sums + b * kGroups);
        }
      }
    }
  }
};

template <class F, int kRows, int kTokens>
void MultiplyTile(const LinearCall& call, int64_t column, int64_t token) {
  using Block = typename F::Block;
  const int64_t blocks = call.inner / Block::kElements;
  RowTile<F, kRows, kTokens> tile;
  for (int r = 0; r < kRows; ++r) {
    tile.rows[r] = reinterpret_cast<const Block*>(call.weight) + (column + r) * blocks;
  }
  for (int t = 0; t < kTokens; ++t) {
    tile.tokens[t] = Int8RowAt(call.activations, call.inner, token + t);
  }
  tile.Run(blocks);
  for (int t = 0; t < kTokens; ++t) {
    tile.sums[t].Store(call.out + (token + t) * call.out_stride + column);
  }
}

// Computes tokens [begin, end) of kRows rows, the largest tiles first.
template <class F, int kRows, int kTokens>
void MultiplyTokens(const LinearCall& call, int64_t column, int64_t begin, int64_t end) {
  for (; begin + kTokens <= end; begin += kTokens) {
    MultiplyTile<F, kRows, kTokens>(call, column, begin);
  }
  if constexpr (kTokens > 1) {
    if (begin < end) MultiplyTokens<F, kRows, kTokens - 1>(call, column, begin, end);
  }
}

template <class F>
void Multiply(const LinearCall& call, int64_t begin, int64_t end) {
  for (int64_t token = 0; token < call.tokens; token += kTokensInL1) {
    const int64_t left = call.tokens - token;
    const int64_t last = token + (left < kTokensInL1 ? left : kTokensInL1);
    int64_t column = begin;
    for (; column + kTileRows <= end; column += kTileRows) {
      MultiplyTokens<F, kTileRows, kTileTokens>(call, column, token, last);
    }
    for (; column < end; ++column) MultiplyTokens<F, 1, 1>(call, column, token, last);
  }
}

ActivationForm Int8RowsForm(int64_t) { return ActivationForm::kInt8Rows; }
std::string_view Int8Numerics(int64_t, int64_t) { return "int8x32"; }

template <class F>
constexpr LinearKernel RowProduct() {
  LinearKernel kernel;
  kernel.numerics = Int8Numerics;
  kernel.form = Int8RowsForm;
  kernel.run = Multiply<F>;
  return kernel;
}

}  // namespace
}  // namespace infer::simd::INFER_SIMD_LEVEL
