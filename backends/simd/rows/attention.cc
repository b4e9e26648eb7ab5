// SPDX-License-Identifier: Apache-2.0
//
// Plain attention of a level, f32 throughout: blocks of K and V are widened once, then tiles of
// rows (query heads of consecutive tokens) pass over them with a streaming softmax. Few rows read
// an f16 cache as it is. A row adds the positions in the same order and the same blocks of 64
// whatever the other rows and the blocks of the cache are.

#include <cstdint>

#include "backends/simd/isa/attention_kernels.h"
#include "backends/simd/isa/vec.h"
#include "backends/simd/rows/float_product.h"
#include "backends/simd/vector/functions.h"

namespace infer::simd::INFER_SIMD_LEVEL {

const AttentionKernels* PlainAttention(DType cache);

namespace {

constexpr int kRows = kFloatTokens;  // per tile
// Rows that pass over four positions of K, or a few vectors of V, before the next ones: a block of
// both is larger than L1.
constexpr int64_t kGroup = 16;
constexpr int64_t kBlock = 64;  // positions: K and V of 128 elements are 64 KiB
// Up to this many rows read an f16 cache as it is.
constexpr int64_t kDirectRows = 4;
constexpr float kLog2E = 1.44269504f;
constexpr float kInfinity = __builtin_inff();

constexpr int64_t RoundUp(int64_t n, int64_t to) { return (n + to - 1) / to * to; }

// Rows are (token, head of the group) in whole tiles, their elements in whole vectors; the padding
// is zero.
struct Rows {
  int64_t count;
  int64_t padded;
  int64_t dim;
  float* scores;  // [kGroup][kBlock]
  float* k;       // [kBlock][dim]
  float* v;       // [kBlock][dim]
  float* max;     // [padded]
  float* sum;     // [padded]
  float* q;       // [padded][dim], times scale * log2(e)
  float* out;     // [padded][dim], before the division
};

Rows LayOut(const AttentionCall& call) {
  Rows rows;
  rows.count = call.tokens * call.group_heads;
  rows.padded = RoundUp(rows.count, kRows);
  rows.dim = RoundUp(call.head_dim, kLanes);
  rows.scores = reinterpret_cast<float*>(call.scratch);
  rows.k = rows.scores + kGroup * kBlock;
  rows.v = rows.k + kBlock * rows.dim;
  rows.max = rows.v + kBlock * rows.dim;
  rows.sum = rows.max + rows.padded;
  rows.q = rows.sum + rows.padded;
  rows.out = rows.q + rows.padded * rows.dim;
  return rows;
}

Rows MakeRows(const AttentionCall& call) {
  const Rows rows = LayOut(call);
  for (int64_t row = 0; row < rows.padded; ++row) {
    rows.max[row] = -__FLT_MAX__;
    rows.sum[row] = 0;
  }
  for (int64_t i = 0; i < 2 * rows.padded * rows.dim; ++i) rows.q[i] = 0;  // out follows q
  for (int64_t row = 0; row < rows.count; ++row) {
    const float* from =
        call.q + row / call.group_heads * call.q_stride + row % call.group_heads * call.head_dim;
    ScaleRow(from, call.scale * kLog2E, call.head_dim, rows.q + row * rows.dim);
  }
  return rows;
}

int64_t VectorBytes(const AttentionCall& call) {
  if (call.cache.dtype == DType::kQ8_0) return call.head_dim / 32 * 34;
  return call.head_dim * (call.cache.dtype == DType::kF16 ? 2 : 4);
}

// Widens positions [begin, end) of K or V, which the blocks of the cache may divide.
void Widen(const AttentionCall& call, const std::byte* head, int64_t begin, int64_t end,
           int64_t dim, float* to) {
  const CacheHead& cache = call.cache;
  const int64_t n = call.head_dim, vector_bytes = VectorBytes(call);
  while (begin < end) {
    const int64_t offset = begin % cache.block_positions;
    const int64_t left = cache.block_positions - offset;
    const int64_t last = end - begin < left ? end : begin + left;
    const std::byte* from = head + cache.block_table[begin / cache.block_positions] *
                                       static_cast<int64_t>(cache.block_stride_bytes);
    from += offset * vector_bytes;
    for (; begin < last; ++begin, from += vector_bytes, to += dim) {
      if (cache.dtype == DType::kF16) {
        FromHalfRow(reinterpret_cast<const uint16_t*>(from), n, to);
      } else if (cache.dtype == DType::kQ8_0) {
        FromQ8_0Row(from, n, to);
      } else {
        ScaleRow(reinterpret_cast<const float*>(from), 1.0f, n, to);
      }
      for (int64_t d = n; d < dim; ++d) to[d] = 0;
    }
  }
}

// Computes the scores of a tile of rows and kFloatRows positions.
[[gnu::always_inline]] inline void ScoreTile(const Rows& rows, const float* q, int64_t position,
                                             float* scores) {
  FloatTile<LoadF32Row, kFloatRows, kRows> tile;
  tile.Run(rows.k + position * rows.dim, q, rows.dim);
  Floats ordered[kRows * kFloatRows];
  for (int p = 0; p < kFloatRows; ++p) {
    for (int x = 0; x < kRows; ++x) ordered[x * kFloatRows + p] = tile.sums[p][x];
  }
  float sums[kRows * kFloatRows];
  for (int n = 0; n < kRows * kFloatRows; n += kLanes) Store(sums + n, SumEach(ordered + n));
  for (int x = 0; x < kRows; ++x) {
    __builtin_memcpy(scores + x * kBlock + position, sums + x * kFloatRows,
                     sizeof(float) * kFloatRows);
  }
}

// Computes the scores of `count` rows from `row` on; positions that a row may not see get
// -infinity.
void Score(const Rows& rows, int64_t row, int64_t count, int64_t positions,
           const int64_t* visible) {
  const float* q = rows.q + row * rows.dim;
  int64_t i = 0;
  for (; i + kFloatRows <= positions; i += kFloatRows) {
    for (int64_t x = 0; x < count; x += kRows) {
      ScoreTile(rows, q + x * rows.dim, i, rows.scores + x * kBlock);
    }
  }
  for (; i < positions; ++i) {
    for (int64_t x = 0; x < count; x += kRows) {
      FloatTile<LoadF32Row, 1, kRows> tile;
      tile.Run(rows.k + i * rows.dim, q + x * rows.dim, rows.dim);
      for (int j = 0; j < kRows; ++j) rows.scores[(x + j) * kBlock + i] = Sum(tile.sums[0][j]);
    }
  }
  for (int64_t x = 0; x < count; ++x) {
    int64_t hidden = visible[x] < positions ? visible[x] : positions;
    for (; hidden < kBlock; ++hidden) rows.scores[x * kBlock + hidden] = -kInfinity;
  }
}

// Converts the scores of one row to weights, in place; rescales the sums so far to the new maximum.
void UpdateRow(const Rows& rows, int64_t row, float* scores, int64_t positions) {
  Floats largest = Load(scores);
  for (int64_t i = kLanes; i < positions; i += kLanes) largest = Max(largest, Load(scores + i));
  const float block_max = Largest(largest);
  const float before = rows.max[row];
  const float now = block_max > before ? block_max : before;
  Floats sums = Broadcast(0);
  for (int64_t i = 0; i < positions; i += kLanes) {
    const Floats weight = Exp2(Sub(Load(scores + i), Broadcast(now)));
    sums = Add(sums, weight);
    Store(scores + i, weight);
  }
  rows.max[row] = now;
  if (now == before) {
    rows.sum[row] += Sum(sums);
    return;
  }
  float fix[kLanes];
  Store(fix, Exp2(Broadcast(before - now)));
  rows.sum[row] = rows.sum[row] * fix[0] + Sum(sums);
  ScaleRow(rows.out + row * rows.dim, fix[0], rows.dim, rows.out + row * rows.dim);
}

// Adds weights times V for a tile of rows and kVectors vectors of elements, from element d on. The
// sums of one vector alone would wait for each other: a fused multiply-add takes four cycles.
template <int kVectors>
[[gnu::always_inline]] inline void AddTileValues(const Rows& rows, const float* weights,
                                                 int64_t positions, int64_t d, float* out) {
  Floats sums[kRows][kVectors];
  for (int x = 0; x < kRows; ++x) {
    for (int i = 0; i < kVectors; ++i) sums[x][i] = Load(out + x * rows.dim + i * kLanes);
  }
  for (int64_t p = 0; p < positions; ++p) {
    Floats value[kVectors];
    for (int i = 0; i < kVectors; ++i) value[i] = Load(rows.v + p * rows.dim + d + i * kLanes);
    for (int x = 0; x < kRows; ++x) {
      const Floats weight = Broadcast(weights[x * kBlock + p]);
      for (int i = 0; i < kVectors; ++i) sums[x][i] = Fma(weight, value[i], sums[x][i]);
    }
  }
  for (int x = 0; x < kRows; ++x) {
    for (int i = 0; i < kVectors; ++i) Store(out + x * rows.dim + i * kLanes, sums[x][i]);
  }
}

template <int kVectors>
void AddValuesFrom(const Rows& rows, int64_t row, int64_t count, int64_t positions, int64_t d) {
  for (; d + kVectors * kLanes <= rows.dim; d += kVectors * kLanes) {
    for (int64_t x = 0; x < count; x += kRows) {
      AddTileValues<kVectors>(rows, rows.scores + x * kBlock, positions, d,
                              rows.out + (row + x) * rows.dim + d);
    }
  }
  if constexpr (kVectors > 1) {
    if (d < rows.dim) AddValuesFrom<1>(rows, row, count, positions, d);
  }
}

// Processes all rows over the block of positions in K and V.
void AttendBlock(const AttentionCall& call, const Rows& rows, int64_t first, int64_t positions) {
  for (int64_t row = 0; row < rows.padded; row += kGroup) {
    const int64_t count = rows.padded - row < kGroup ? rows.padded - row : kGroup;
    int64_t visible[kGroup];
    int64_t most = 0;
    for (int64_t x = 0; x < count; ++x) {
      const int64_t last = call.first_visible + (row + x) / call.group_heads;
      visible[x] = last < first ? 0 : last - first + 1;
      most = visible[x] > most ? visible[x] : most;
    }
    if (most == 0) continue;
    const int64_t seen = most < positions ? most : positions;
    Score(rows, row, count, seen, visible);
    for (int64_t x = 0; x < count; ++x) {
      UpdateRow(rows, row + x, rows.scores + x * kBlock, RoundUp(seen, kLanes));
    }
    AddValuesFrom<4>(rows, row, count, seen, 0);
  }
}

// Where the vectors of positions [begin, end) of K or V are.
void Locate(const AttentionCall& call, const std::byte* head, int64_t begin, int64_t end,
            const uint16_t** at) {
  const CacheHead& cache = call.cache;
  for (; begin < end; ++begin, ++at) {
    *at = reinterpret_cast<const uint16_t*>(head +
                                            cache.block_table[begin / cache.block_positions] *
                                                static_cast<int64_t>(cache.block_stride_bytes) +
                                            begin % cache.block_positions * VectorBytes(call));
  }
}

// The scores of all kCount rows with kPositions positions of an f16 cache.
template <int kCount, int kPositions>
[[gnu::always_inline]] inline void ScoreDirect(const Rows& rows, const uint16_t* const* at,
                                               int64_t position) {
  Floats sums[kCount][kPositions];
  for (auto& row : sums) {
    for (Floats& sum : row) sum = Broadcast(0);
  }
  for (int64_t d = 0; d < rows.dim; d += kLanes) {
    Floats q[kCount];
    for (int x = 0; x < kCount; ++x) q[x] = Load(rows.q + x * rows.dim + d);
    for (int p = 0; p < kPositions; ++p) {
      const Floats key = LoadHalf(at[position + p] + d);
      for (int x = 0; x < kCount; ++x) sums[x][p] = Fma(key, q[x], sums[x][p]);
    }
  }
  for (int x = 0; x < kCount; ++x) {
    for (int p = 0; p < kPositions; ++p) {
      rows.scores[x * kBlock + position + p] = Sum(sums[x][p]);
    }
  }
}

// Adds weights times V for kVectors vectors of elements of all kCount rows, from element d on.
template <int kCount, int kVectors>
[[gnu::always_inline]] inline void AddValuesDirect(const Rows& rows, const uint16_t* const* at,
                                                   int64_t positions, int64_t d) {
  Floats sums[kCount][kVectors];
  for (int x = 0; x < kCount; ++x) {
    for (int i = 0; i < kVectors; ++i) {
      sums[x][i] = Load(rows.out + x * rows.dim + d + i * kLanes);
    }
  }
  for (int64_t p = 0; p < positions; ++p) {
    Floats value[kVectors];
    for (int i = 0; i < kVectors; ++i) value[i] = LoadHalf(at[p] + d + i * kLanes);
    for (int x = 0; x < kCount; ++x) {
      const Floats weight = Broadcast(rows.scores[x * kBlock + p]);
      for (int i = 0; i < kVectors; ++i) sums[x][i] = Fma(weight, value[i], sums[x][i]);
    }
  }
  for (int x = 0; x < kCount; ++x) {
    for (int i = 0; i < kVectors; ++i) {
      Store(rows.out + x * rows.dim + d + i * kLanes, sums[x][i]);
    }
  }
}

// Attend for kCount rows over an f16 cache that is read as it is: every number meets the same
// numbers in the same order as there.
template <int kCount>
void AttendDirect(const AttentionCall& call, const Rows& rows, int64_t begin, int64_t end) {
  // Sums that do not wait for each other, as many as the registers hold.
  constexpr int kPositions = kCount == 1 ? 8 : 4;
  constexpr int kVectors = kCount == 1 ? 8 : 4;
  const int64_t visible = call.first_visible + call.tokens;
  if (end > visible) end = visible;
  for (int64_t first = begin; first < end; first += kBlock) {
    const int64_t seen = (end - first < kBlock ? end : first + kBlock) - first;
    const uint16_t* keys[kBlock];
    const uint16_t* values[kBlock];
    Locate(call, call.cache.k, first, first + seen, keys);
    Locate(call, call.cache.v, first, first + seen, values);
    int64_t p = 0;
    for (; p + kPositions <= seen; p += kPositions) {
      ScoreDirect<kCount, kPositions>(rows, keys, p);
    }
    for (; p < seen; ++p) ScoreDirect<kCount, 1>(rows, keys, p);
    for (int x = 0; x < kCount; ++x) {
      // A row of an earlier token does not see the last positions.
      const int64_t last = call.first_visible + x / call.group_heads;
      int64_t hidden = last < first ? 0 : last - first + 1;
      if (hidden > seen) hidden = seen;
      float* scores = rows.scores + x * kBlock;
      for (; hidden < kBlock; ++hidden) scores[hidden] = -kInfinity;
      UpdateRow(rows, x, scores, RoundUp(seen, kLanes));
    }
    int64_t d = 0;
    for (; d + kVectors * kLanes <= rows.dim; d += kVectors * kLanes) {
      AddValuesDirect<kCount, kVectors>(rows, values, seen, d);
    }
    for (; d < rows.dim; d += kLanes) AddValuesDirect<kCount, 1>(rows, values, seen, d);
  }
}

// Whether the rows are too few for widened K and V to pay.
bool IsDirect(const AttentionCall& call, const Rows& rows) {
  return call.cache.dtype == DType::kF16 && rows.count <= kDirectRows && call.head_dim == rows.dim;
}

// Blocks begin at multiples of kBlock, as every range does.
void Attend(const AttentionCall& call, const Rows& rows, int64_t begin, int64_t end) {
  if (IsDirect(call, rows)) {
    switch (rows.count) {
      case 1:
        return AttendDirect<1>(call, rows, begin, end);
      case 2:
        return AttendDirect<2>(call, rows, begin, end);
      case 3:
        return AttendDirect<3>(call, rows, begin, end);
      case 4:
        return AttendDirect<4>(call, rows, begin, end);
    }
  }
  for (int64_t position = begin; position < end; position += kBlock) {
    const int64_t last = end - position < kBlock ? end : position + kBlock;
    Widen(call, call.cache.k, position, last, rows.dim, rows.k);
    Widen(call, call.cache.v, position, last, rows.dim, rows.v);
    AttendBlock(call, rows, position, last - position);
  }
}

uint64_t ScratchBytes(int64_t tokens, int64_t group_heads, int64_t head_dim) {
  const int64_t rows = RoundUp(tokens * group_heads, kRows);
  const int64_t dim = RoundUp(head_dim, kLanes);
  return static_cast<uint64_t>(kGroup * kBlock + 2 * kBlock * dim + 2 * rows * (1 + dim)) * 4;
}

void Range(const AttentionCall& call, int64_t begin, int64_t end, const AttentionPart& part) {
  const Rows rows = MakeRows(call);
  Attend(call, rows, begin, end);
  for (int64_t row = 0; row < rows.count; ++row) {
    part.max[row] = rows.max[row];
    part.sum[row] = rows.sum[row];
    float* to = part.out + row / call.group_heads * part.out_stride +
                row % call.group_heads * call.head_dim;
    ScaleRow(rows.out + row * rows.dim, 1.0f, call.head_dim, to);
  }
}

constexpr AttentionKernels kPlainAttention = {
    .scratch_bytes = ScratchBytes, .range = Range, .merge = MergeParts};

}  // namespace

const AttentionKernels* PlainAttention(DType cache) {
  const bool reads = cache == DType::kF32 || cache == DType::kF16 || cache == DType::kQ8_0;
  return reads ? &kPlainAttention : nullptr;
}

}  // namespace infer::simd::INFER_SIMD_LEVEL
