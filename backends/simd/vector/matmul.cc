// SPDX-License-Identifier: Apache-2.0
//
// The product of two float matrices. Each element is one sum over the inner dimension from first to
// last, whatever tile it is in, so slices of rows give the same bits.
#include "backends/simd/isa/vec.h"
#include "backends/simd/vector/functions.h"

namespace infer::simd::INFER_SIMD_LEVEL {
namespace {

// Sums computed at once: 4 rows of 4 vectors (2 with AVX2's 16 registers), so that each vector of b
// is used 4 times and the latency of each chain of sums is hidden behind 15 others.
constexpr int kTileRows = 4;
constexpr int kTileVectors = kLanes == 8 ? 2 : 4;

struct LoadFull {
  Floats operator()(const float* p) const { return Load(p); }
  void Write(float* p, Floats v) const { Store(p, v); }
};

struct LoadFirst {
  int64_t n;
  Floats operator()(const float* p) const { return LoadPart(p, n); }
  void Write(float* p, Floats v) const { StorePart(p, v, n); }
};

template <int kRows, int kVectors, class Access>
[[gnu::always_inline]] inline void Tile(const MatmulRows& m, int64_t row, int64_t column,
                                        Access access) {
  Floats sums[kRows][kVectors];
  for (auto& of_row : sums) {
    for (Floats& sum : of_row) sum = Broadcast(0);
  }
  const float* a = m.a + row * m.inner;
  const float* b = m.b + column;
  for (int64_t k = 0; k < m.inner; ++k, b += m.columns) {
    Floats vectors[kVectors];
    for (int v = 0; v < kVectors; ++v) vectors[v] = access(b + v * kLanes);
    for (int r = 0; r < kRows; ++r) {
      const Floats factor = Broadcast(a[r * m.inner + k]);
      for (int v = 0; v < kVectors; ++v) sums[r][v] = Fma(vectors[v], factor, sums[r][v]);
    }
  }
  for (int r = 0; r < kRows; ++r) {
    float* out = m.out + (row + r) * m.columns + column;
    for (int v = 0; v < kVectors; ++v) access.Write(out + v * kLanes, sums[r][v]);
  }
}

template <int kRows>
void TileRows(const MatmulRows& m, int64_t row) {
  int64_t column = 0;
  for (; column + kTileVectors * kLanes <= m.columns; column += kTileVectors * kLanes) {
    Tile<kRows, kTileVectors>(m, row, column, LoadFull());
  }
  for (; column + kLanes <= m.columns; column += kLanes) {
    Tile<kRows, 1>(m, row, column, LoadFull());
  }
  if (column < m.columns) Tile<kRows, 1>(m, row, column, LoadFirst{m.columns - column});
}

}  // namespace

void Matmul(const MatmulRows& m) {
  int64_t row = 0;
  for (; row + kTileRows <= m.rows; row += kTileRows) TileRows<kTileRows>(m, row);
  for (; row < m.rows; ++row) TileRows<1>(m, row);
}

}  // namespace infer::simd::INFER_SIMD_LEVEL
