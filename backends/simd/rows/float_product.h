// SPDX-License-Identifier: Apache-2.0
//
// Products of rows of floats, widened by a loader, with f32 activations.
#pragma once

#include <cstdint>

#include "backends/simd/isa/linear_kernel.h"
#include "backends/simd/isa/vec.h"

namespace infer::simd::INFER_SIMD_LEVEL {
namespace {

// Rows and tokens processed at once: 16 sums (8 with AVX2's 16 registers).
constexpr int kFloatRows = 4;
constexpr int kFloatTokens = kLanes == 8 ? 2 : 4;

struct LoadF32Row {
  using Element = float;
  static Floats Full(const float* p) { return Load(p); }
  static Floats Part(const float* p, int64_t n) { return LoadPart(p, n); }
};

struct LoadHalfRow {
  using Element = uint16_t;
  static Floats Full(const uint16_t* p) { return LoadHalf(p); }
  static Floats Part(const uint16_t* p, int64_t n) {
    uint16_t lanes[kLanes] = {};
    for (int64_t i = 0; i < n; ++i) lanes[i] = p[i];
    return LoadHalf(lanes);
  }
};

struct LoadBf16Row {
  using Element = uint16_t;
  static Floats Full(const uint16_t* p) { return LoadBf16(p); }
  static Floats Part(const uint16_t* p, int64_t n) {
    uint16_t lanes[kLanes] = {};
    for (int64_t i = 0; i < n; ++i) lanes[i] = p[i];
    return LoadBf16(lanes);
  }
};

template <class W, int kRows, int kTokens>
struct FloatTile {
  Floats sums[kRows][kTokens];

  [[gnu::always_inline]] inline void Add(const Floats* w, const Floats* x) {
    for (int r = 0; r < kRows; ++r) {
      for (int t = 0; t < kTokens; ++t) sums[r][t] = Fma(w[r], x[t], sums[r][t]);
    }
  }

  // Rows and tokens are `inner` elements apart.
  [[gnu::always_inline]] inline void Run(const typename W::Element* rows, const float* tokens,
                                         int64_t inner) {
    for (auto& row : sums) {
      for (Floats& sum : row) sum = Broadcast(0);
    }
    Floats w[kRows], x[kTokens];
    int64_t i = 0;
    for (; i + kLanes <= inner; i += kLanes) {
      for (int r = 0; r < kRows; ++r) w[r] = W::Full(rows + r * inner + i);
      for (int t = 0; t < kTokens; ++t) x[t] = Load(tokens + t * inner + i);
      Add(w, x);
    }
    if (i == inner) return;
    for (int r = 0; r < kRows; ++r) w[r] = W::Part(rows + r * inner + i, inner - i);
    for (int t = 0; t < kTokens; ++t) x[t] = LoadPart(tokens + t * inner + i, inner - i);
    Add(w, x);
  }
};

template <class W, int kRows, int kTokens>
void FloatTileAt(const LinearCall& call, const typename W::Element* rows, int64_t column,
                 int64_t token) {
  FloatTile<W, kRows, kTokens> tile;
  const float* x = reinterpret_cast<const float*>(call.activations) + token * call.inner;
  tile.Run(rows, x, call.inner);
  for (int t = 0; t < kTokens; ++t) {
    for (int r = 0; r < kRows; ++r) {
      call.out[(token + t) * call.out_stride + column + r] = Sum(tile.sums[r][t]);
    }
  }
}

template <class W, int kRows, int kTokens>
void FloatTokens(const LinearCall& call, const typename W::Element* rows, int64_t column,
                 int64_t begin) {
  for (; begin + kTokens <= call.tokens; begin += kTokens) {
    FloatTileAt<W, kRows, kTokens>(call, rows, column, begin);
  }
  if constexpr (kTokens > 1) {
    if (begin < call.tokens) FloatTokens<W, kRows, kTokens - 1>(call, rows, column, begin);
  }
}

// `rows` are the rows of columns [begin, end); computes them for all tokens.
template <class W>
void FloatRows(const LinearCall& call, const typename W::Element* rows, int64_t begin,
               int64_t end) {
  int64_t column = begin;
  for (; column + kFloatRows <= end; column += kFloatRows) {
    FloatTokens<W, kFloatRows, kFloatTokens>(call, rows, column, 0);
    rows += kFloatRows * call.inner;
  }
  for (; column < end; ++column, rows += call.inner) FloatTokens<W, 1, 1>(call, rows, column, 0);
}

}  // namespace
}  // namespace infer::simd::INFER_SIMD_LEVEL
