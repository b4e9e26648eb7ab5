// SPDX-License-Identifier: Apache-2.0
#include "backends/simd/amx/attention.h"

#include "backends/simd/amx/cache_tiles.h"
#include "backends/simd/isa/tiles.h"

namespace infer::simd::INFER_SIMD_LEVEL {
namespace {

constexpr int64_t kTileRows = 16;
constexpr float kLog2E = 1.44269504f;
constexpr float kInfinity = __builtin_inff();

constexpr int64_t RoundUp(int64_t n, int64_t to) { return (n + to - 1) / to * to; }

// Rows are (token, head of the group), 16 of them in a tile, as lanes. Elements of a head are
// padded to whole chunks of 32.
struct Memory {
  int64_t dim;
  uint16_t* keys;     // KeyTiles of a block
  uint16_t* values;   // ValueTiles of a block
  float* scores;      // [kBlockPositions][16 rows]
  uint16_t* weights;  // [kBlockPositions / 2][16 rows][2]
  float* max;         // [row tiles][16], in units of log2
  float* sum;         // [row tiles][16]
  uint16_t* q;        // [row tiles][dim / 2][16 rows][2], times scale * log2(e)
  float* out;         // [row tiles][dim][16 rows], before the division
};

int64_t RowTiles(int64_t tokens, int64_t group_heads) {
  return RoundUp(tokens * group_heads, kTileRows) / kTileRows;
}

Memory LayOut(const AttentionCall& call) {
  const int64_t tiles = RowTiles(call.tokens, call.group_heads);
  Memory m;
  m.dim = RoundUp(call.head_dim, 32);
  m.keys = reinterpret_cast<uint16_t*>(call.scratch);
  m.values = m.keys + kBlockPositions * m.dim;
  m.scores = reinterpret_cast<float*>(m.values + kBlockPositions * m.dim);
  m.weights = reinterpret_cast<uint16_t*>(m.scores + kBlockPositions * kTileRows);
  m.max = reinterpret_cast<float*>(m.weights + kBlockPositions * kTileRows);
  m.sum = m.max + tiles * kTileRows;
  m.q = reinterpret_cast<uint16_t*>(m.sum + tiles * kTileRows);
  m.out = reinterpret_cast<float*>(m.q + tiles * kTileRows * m.dim);
  return m;
}

// Elements [first, first + 16) of one row of q, scaled.
Floats16 QueryElements(const AttentionCall& call, int64_t row, int64_t first) {
  if (row >= call.tokens * call.group_heads || first >= call.head_dim) return Set16(0);
  const float* q = call.q + row / call.group_heads * call.q_stride +
                   row % call.group_heads * call.head_dim + first;
  const Floats16 scale = Set16(call.scale * kLog2E);
  if (first + 16 <= call.head_dim) return Mul16(LoadF32x16(q), scale);
  float part[16] = {};
  for (int64_t d = 0; first + d < call.head_dim; ++d) part[d] = q[d];
  return Mul16(LoadF32x16(part), scale);
}

// Puts one tile of rows side by side: 32 elements of 16 rows are 16 pairs of them.
void QueryTile(const AttentionCall& call, int64_t tile, int64_t dim, uint16_t* to) {
  for (int64_t d = 0; d < dim; d += 32) {
    Bytes64 rows[16];
    for (int64_t r = 0; r < 16; ++r) {
      uint16_t row[32];
      StoreBf16x16(row, QueryElements(call, tile * 16 + r, d));
      StoreBf16x16(row + 16, QueryElements(call, tile * 16 + r, d + 16));
      rows[r] = LoadBytes64(row);
    }
    Transpose16(rows);
    for (int64_t i = 0; i < 16; ++i) StoreBytes64(to + d * 16 + i * 32, rows[i]);
  }
}

// 2^x for x <= 0, within 4e-6: the results are rounded to bf16.
[[gnu::always_inline]] inline Floats16 PowerOfTwo(Floats16 x) {
  x = Max16(Set16(-160.0f), x);
  const Floats16 whole = Whole16(x);
  const Floats16 f = Sub16(x, whole);
  Floats16 p = Fma16(Set16(0.009666368f), f, Set16(0.055921976f));
  p = Fma16(p, f, Set16(0.24022349f));
  p = Fma16(p, f, Set16(0.69312105f));
  p = Fma16(p, f, Set16(1.0f));
  return Scale16(p, whole);
}

// Scores of one tile of rows with `positions` positions, a multiple of 32: two tiles of positions
// at a time share the tile of q.
void Score(Tiles& tiles, const Memory& m, const uint16_t* q, int64_t positions) {
  for (int64_t p = 0; p < positions; p += 32) {
    tiles.Zero<0>();
    tiles.Zero<1>();
    const uint16_t* keys = m.keys + p * m.dim;
    for (int64_t d = 0; d < m.dim; d += 32) {
      tiles.Load<3>(q + d * 16, 64);
      tiles.Load<2>(keys + d * 16, 64);
      tiles.DotBf16<0, 2, 3>();
      tiles.Load<2>(keys + 16 * m.dim + d * 16, 64);
      tiles.DotBf16<1, 2, 3>();
    }
    tiles.Store<0>(m.scores + p * kTileRows, 64);
    tiles.Store<1>(m.scores + (p + 16) * kTileRows, 64);
  }
}

// Positions that a row may not see get -infinity; position 0 here is `first`.
void Mask(const AttentionCall& call, const Memory& m, int64_t tile, int64_t first,
          int64_t positions) {
  for (int64_t r = 0; r < kTileRows; ++r) {
    const int64_t last = call.first_visible + (tile * kTileRows + r) / call.group_heads;
    for (int64_t p = last < first ? 0 : last - first + 1; p < positions; ++p) {
      m.scores[p * kTileRows + r] = -kInfinity;
    }
  }
}

// Turns scores into weights and adds them up. Returns by what the sums so far must be multiplied.
Floats16 Weigh(const Memory& m, int64_t tile, int64_t positions) {
  float* max = m.max + tile * kTileRows;
  const Floats16 before = LoadF32x16(max);
  Floats16 most[2] = {before, before};
  for (int64_t p = 0; p < positions; p += 2) {
    for (int i = 0; i < 2; ++i) {
      most[i] = Max16(most[i], LoadF32x16(m.scores + (p + i) * kTileRows));
    }
  }
  const Floats16 now = Max16(most[0], most[1]);
  Floats16 sums[2] = {Set16(0), Set16(0)};
  for (int64_t p = 0; p < positions; p += 2) {
    Floats16 weight[2];
    for (int i = 0; i < 2; ++i) {
      weight[i] = PowerOfTwo(Sub16(LoadF32x16(m.scores + (p + i) * kTileRows), now));
      sums[i] = Add16(sums[i], weight[i]);
    }
    StoreBytes64(m.weights + p * kTileRows, PairsRounded(weight[0], weight[1]));
  }
  Store16(max, now);
  const Floats16 factor = PowerOfTwo(Sub16(before, now));
  float* sum = m.sum + tile * kTileRows;
  Store16(sum, Fma16(LoadF32x16(sum), factor, Add16(sums[0], sums[1])));
  return factor;
}

// Adds V times the weights: two tiles of elements at a time share the tile of weights.
void AddValues(Tiles& tiles, const Memory& m, float* out, int64_t positions) {
  constexpr int64_t kTileOfValues = 512;
  constexpr int64_t kRowOfTiles = kBlockPositions / 32 * kTileOfValues;
  for (int64_t d = 0; d < m.dim; d += 32) {
    tiles.Load<0>(out + d * kTileRows, 64);
    tiles.Load<1>(out + (d + 16) * kTileRows, 64);
    const uint16_t* values = m.values + d / 16 * kRowOfTiles;
    for (int64_t p = 0; p < positions; p += 32, values += kTileOfValues) {
      tiles.Load<3>(m.weights + p * kTileRows, 64);
      tiles.Load<2>(values, 64);
      tiles.DotBf16<0, 2, 3>();
      tiles.Load<2>(values + kRowOfTiles, 64);
      tiles.DotBf16<1, 2, 3>();
    }
    tiles.Store<0>(out + d * kTileRows, 64);
    tiles.Store<1>(out + (d + 16) * kTileRows, 64);
  }
}

// One tile of rows over the block of positions [first, end) that the tiles hold.
void AttendTile(Tiles& tiles, const AttentionCall& call, const Memory& m, int64_t tile,
                int64_t first, int64_t end) {
  const int64_t rows = call.tokens * call.group_heads;
  const int64_t last_row = (tile + 1) * kTileRows < rows ? (tile + 1) * kTileRows - 1 : rows - 1;
  const int64_t seen = call.first_visible + last_row / call.group_heads + 1;
  if (seen <= first) return;
  const int64_t count = (seen < end ? seen : end) - first;
  const int64_t positions = RoundUp(count, 32);
  Score(tiles, m, m.q + tile * kTileRows * m.dim, positions);
  const int64_t seen_by_all = call.first_visible + tile * kTileRows / call.group_heads + 1;
  if (first + positions > seen_by_all) Mask(call, m, tile, first, positions);
  const Floats16 factor = Weigh(m, tile, positions);
  float* out = m.out + tile * kTileRows * m.dim;
  if (AnyDiffers16(factor, Set16(1.0f))) {
    for (int64_t d = 0; d < m.dim; ++d) {
      Store16(out + d * kTileRows, Mul16(LoadF32x16(out + d * kTileRows), factor));
    }
  }
  AddValues(tiles, m, out, positions);
}

// All rows over the positions [begin, end), block by block.
void Attend(const AttentionCall& call, const Memory& m, int64_t begin, int64_t end) {
  const int64_t row_tiles = RowTiles(call.tokens, call.group_heads);
  for (int64_t tile = 0; tile < row_tiles; ++tile) {
    QueryTile(call, tile, m.dim, m.q + tile * kTileRows * m.dim);
    Store16(m.max + tile * kTileRows, Set16(-__FLT_MAX__));
    Store16(m.sum + tile * kTileRows, Set16(0));
  }
  for (int64_t i = 0; i < row_tiles * kTileRows * m.dim; i += 16) Store16(m.out + i, Set16(0));
  const CacheVectors vectors(call);
  Tiles tiles;
  for (int64_t first = begin; first < end; first += kBlockPositions) {
    const int64_t last = end - first < kBlockPositions ? end : first + kBlockPositions;
    KeyTiles(vectors, first, last, m.dim, m.keys);
    ValueTiles(vectors, first, last, m.dim, m.values);
    for (int64_t tile = 0; tile < row_tiles; ++tile) AttendTile(tiles, call, m, tile, first, last);
  }
}

// Writes one tile of rows times a factor for each, at `out`.
void WriteTile(const AttentionCall& call, const Memory& m, int64_t tile, Floats16 factors,
               float* out, int64_t out_stride) {
  const float* sums = m.out + tile * kTileRows * m.dim;
  for (int64_t d = 0; d < call.head_dim; d += 16) {
    Bytes64 rows[16];
    for (int64_t i = 0; i < 16; ++i) {
      float lanes[16];
      Store16(lanes, Mul16(LoadF32x16(sums + (d + i) * kTileRows), factors));
      rows[i] = LoadBytes64(lanes);
    }
    Transpose16(rows);
    const int64_t left = call.head_dim - d;
    for (int64_t r = 0; r < 16; ++r) {
      const int64_t row = tile * kTileRows + r;
      if (row >= call.tokens * call.group_heads) break;
      float* to =
          out + row / call.group_heads * out_stride + row % call.group_heads * call.head_dim + d;
      float lanes[16];
      StoreBytes64(lanes, rows[r]);
      StorePart16(to, LoadF32x16(lanes), left < 16 ? left : 16);
    }
  }
}

}  // namespace

uint64_t TileAttentionScratchBytes(int64_t tokens, int64_t group_heads, int64_t head_dim) {
  const int64_t rows = RowTiles(tokens, group_heads) * kTileRows;
  const int64_t dim = RoundUp(head_dim, 32);
  return static_cast<uint64_t>(kBlockPositions * dim * 4 + kBlockPositions * kTileRows * 6 +
                               rows * (8 + 6 * dim));
}

void TileAttention(const AttentionCall& call) {
  const Memory m = LayOut(call);
  Attend(call, m, 0, call.first_visible + call.tokens);
  for (int64_t tile = 0; tile < RowTiles(call.tokens, call.group_heads); ++tile) {
    float factor[kTileRows];
    for (int64_t r = 0; r < kTileRows; ++r) factor[r] = 1.0f / m.sum[tile * kTileRows + r];
    WriteTile(call, m, tile, LoadF32x16(factor), call.out, call.out_stride);
  }
}

void TileAttentionRange(const AttentionCall& call, int64_t begin, int64_t end,
                        const AttentionPart& part) {
  const Memory m = LayOut(call);
  Attend(call, m, begin, end);
  for (int64_t tile = 0; tile < RowTiles(call.tokens, call.group_heads); ++tile) {
    WriteTile(call, m, tile, Set16(1.0f), part.out, part.out_stride);
  }
  for (int64_t row = 0; row < call.tokens * call.group_heads; ++row) {
    part.max[row] = m.max[row];
    part.sum[row] = m.sum[row];
  }
}

}  // namespace infer::simd::INFER_SIMD_LEVEL
