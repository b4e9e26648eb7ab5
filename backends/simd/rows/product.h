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
  using Scales = typename F::Scales;
  static constexpr int kChunks = Block::kElements / 32;

  const Block* rows[kRows];
  Int8Row tokens[kTokens];
  DotSums sums[kRows][kTokens];
  float mins[kRows][kTokens];  // for formats with one minimum per block

  // Adds the 32 elements of chunk `kChunk` of block `b`, and those of all chunks after it.
  template <int kChunk>
  [[gnu::always_inline]] inline void AddChunk(int64_t b, const Scales* scales) {
    Bytes32 w[kRows];
    for (int r = 0; r < kRows; ++r) w[r] = F::template Quants<kChunk>(rows[r][b]);
    const int64_t chunk = b * kChunks + kChunk;
    for (int t = 0; t < kTokens; ++t) {
      const Bytes32 x = Load32(tokens[t].quants + chunk * 32);
      const float x_scale = tokens[t].scales[chunk];
      for (int r = 0; r < kRows; ++r) {
        if constexpr (F::kGroup == 32) {
          sums[r][t] = AddDot<F::kSigned>(sums[r][t], w[r], x, scales[r].scale[kChunk] * x_scale);
        } else {
          const float* scale = scales[r].scale + 2 * kChunk;
          sums[r][t] =
              AddDot<F::kSigned>(sums[r][t], w[r], x, scale[0] * x_scale, scale[1] * x_scale);
        }
      }
    }
    if constexpr (kChunk + 1 < kChunks) AddChunk<kChunk + 1>(b, scales);
  }

  [[gnu::always_inline]] inline void AddMins(int64_t b, const Scales* scales) {
    for (int t = 0; t < kTokens; ++t) {
      for (int r = 0; r < kRows; ++r) {
        if constexpr (kChunks == 1) {
          mins[r][t] += scales[r].min[0] * tokens[t].sums[b];
        } else if constexpr (F::kGroup == 32) {
          sums[r][t] = AddProducts8(sums[r][t], scales[r].min, tokens[t].sums + b * 8);
        } else {
          const float* x = tokens[t].sums_of_16 + b * 16;
          sums[r][t] = AddProducts8(sums[r][t], scales[r].min, x);
          sums[r][t] = AddProducts8(sums[r][t], scales[r].min + 8, x + 8);
        }
      }
    }
  }

  [[gnu::always_inline]] inline void Run(int64_t blocks) {
    for (int r = 0; r < kRows; ++r) {
      for (int t = 0; t < kTokens; ++t) {
        sums[r][t] = ZeroSums();
        mins[r][t] = 0;
      }
    }
    for (int64_t b = 0; b < blocks; ++b) {
      Scales scales[kRows];
      for (int r = 0; r < kRows; ++r) F::Read(rows[r][b], &scales[r]);
      AddChunk<0>(b, scales);
      if constexpr (F::kHasMin) AddMins(b, scales);
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
    for (int r = 0; r < kRows; ++r) {
      call.out[(token + t) * call.out_stride + column + r] =
          TotalOf(tile.sums[r][t]) + tile.mins[r][t];
    }
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

template <class F>
constexpr LinearKernel RowProduct() {
  LinearKernel kernel;
  kernel.numerics = "int8x32";
  kernel.form = Int8RowsForm;
  kernel.run = Multiply<F>;
  return kernel;
}

}  // namespace
}  // namespace infer::simd::INFER_SIMD_LEVEL
