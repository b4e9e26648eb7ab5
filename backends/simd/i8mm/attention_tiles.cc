// SPDX-License-Identifier: Apache-2.0
//
// Attention over f16 or q8_0 positions, both products with bfmmla. Rows are (token, head of the
// group), 6 per tile. Work proceeds panel by panel, 16 positions of K, then 16 elements of V, and
// all tiles of a row block pass by each, so that a panel stays in L1.
//
// A row's bits do not depend on the other rows: it has its own reference, and a position that it
// does not see has the weight 0, which changes no sum. (bfmmla rounds to odd, so that the smallest
// weight would.)
//
// Relative RMS error with scores of deviation 1, 4, 10: 2e-3 to 4e-3, 5e-3, 1e-2. Weights and V in
// bf16 contribute 2e-3 to 3e-3, Q and K in bf16 about 1e-3 per unit of deviation.
#include <arm_neon.h>
#include <float.h>
#include <stdint.h>
#include <string.h>

#include "backends/simd/i8mm/attention_paths.h"
#include "backends/simd/i8mm/bf16_tile.h"
#include "backends/simd/i8mm/cache_direct.h"
#include "backends/simd/i8mm/cache_panels.h"
#include "backends/simd/i8mm/half_to_bf16.h"
#include "backends/simd/i8mm/tile_softmax.h"

namespace infer::simd::i8mm {
namespace {

// Tiles of a row block: the Q, weights and sums of 192 rows stay in L2.
constexpr int64_t kBlockTiles = 32;
constexpr int64_t kWeightElements = kPanelPositions * kTileRows;  // per tile
constexpr int64_t kPanelSums = kTileRows * kTileColumns;          // per tile and panel of V

constexpr int64_t kAheadPairs = 4;  // row pairs between prefetching and reading Q

// Memory of a call.
struct Scratch {
  TileRows* rows;             // [tiles]
  const std::byte** vectors;  // [2 * kPanelPositions]
  uint16_t* halves;           // [4][head_dim]
  uint16_t* q;                // [tiles][head_dim * 6]
  uint16_t* k;                // [kPanelPositions * head_dim]
  uint16_t* v;                // [panels][kPanelPositions * 16]
  uint16_t* weights;          // [kBlockTiles][kWeightElements]
  float* sums;                // [tiles][panels][kPanelSums]
  uint64_t bytes;
};

int64_t TilesOf(int64_t rows) { return (rows + kTileRows - 1) / kTileRows; }

Scratch Divide(std::byte* base, int64_t rows, int64_t head_dim) {
  const auto tiles = static_cast<uint64_t>(TilesOf(rows));
  const auto dim = static_cast<uint64_t>(head_dim);
  const auto panels = static_cast<uint64_t>(ValuePanels(head_dim));
  uint64_t used = 0;
  const auto take = [&used, base](uint64_t bytes) {
    std::byte* at = base == nullptr ? nullptr : base + used;  // nullptr: only the size is needed
    used += (bytes + 63) / 64 * 64;
    return at;
  };
  Scratch s;
  s.rows = reinterpret_cast<TileRows*>(take(tiles * sizeof(TileRows)));
  s.vectors = reinterpret_cast<const std::byte**>(take(2 * kPanelPositions * sizeof(std::byte*)));
  s.halves = reinterpret_cast<uint16_t*>(take(4 * dim * 2));
  s.q = reinterpret_cast<uint16_t*>(take(tiles * dim * kTileRows * 2));
  s.k = reinterpret_cast<uint16_t*>(take(kPanelPositions * dim * 2));
  s.v = reinterpret_cast<uint16_t*>(take(panels * kPanelPositions * kTileColumns * 2));
  s.weights = reinterpret_cast<uint16_t*>(take(kBlockTiles * kWeightElements * 2));
  s.sums = reinterpret_cast<float*>(take(tiles * panels * kPanelSums * 4));
  s.bytes = used;
  return s;
}

// Returns query row `row`; rows past the end repeat the last one.
const float* QueryRow(const AttentionCall& call, int64_t row) {
  const int64_t rows = call.tokens * call.group_heads;
  const int64_t r = row < rows ? row : rows - 1;
  return call.q + r / call.group_heads * call.q_stride + r % call.group_heads * call.head_dim;
}

// Returns the last position before `end` that a row sees.
int64_t LastVisible(const AttentionCall& call, int64_t row, int64_t end) {
  const int64_t token = row / call.group_heads;
  const int64_t last = call.first_visible + (token < call.tokens ? token : call.tokens - 1);
  return last < end ? last : end - 1;
}

void MakeTileRows(const AttentionCall& call, int64_t tile, int64_t end, TileRows* rows) {
  for (int r = 0; r < kTilePairs; ++r) {
    const int64_t row = tile * kTileRows + 2 * r;
    const auto a = static_cast<int32_t>(LastVisible(call, row, end));
    const auto b = static_cast<int32_t>(LastVisible(call, row + 1, end));
    rows->start[r] = rows->sum[r] = vdupq_n_f32(0);
    rows->visible[r] = vcombine_s32(vdup_n_s32(a), vdup_n_s32(b));
  }
  rows->first_visible = LastVisible(call, tile * kTileRows, end);
  rows->last_visible = LastVisible(call, tile * kTileRows + kTileRows - 1, end);
  rows->fresh = true;
}

// Converts Q to a left operand; also removes the factor of K from the scores.
void MakeQueries(const AttentionCall& call, int64_t tiles, uint16_t* out) {
  const int64_t dim = call.head_dim;
  const float32x4_t factor = vdupq_n_f32(call.scale * kLog2E * kPerHalfUnit);
  for (int64_t pair = 0; pair < tiles * kTilePairs; ++pair) {
    const float* x = QueryRow(call, 2 * pair);
    const float* y = QueryRow(call, 2 * pair + 1);
    // Tokens are far apart, which the hardware does not predict: a tenth of the time without this.
    const float* later = QueryRow(call, 2 * pair + 2 * kAheadPairs);
    for (int64_t d = 0; d < 2 * dim; d += 16) __builtin_prefetch(later + d, 0, 3);
    uint16_t* to = out + pair / kTilePairs * dim * kTileRows + pair % kTilePairs * 8;
    for (int64_t d = 0; d < dim; d += kStep, to += kTilePairs * 8) {
      vst1q_u16(to, RoundToBf16(vmulq_f32(vld1q_f32(x + d), factor),
                                vmulq_f32(vld1q_f32(y + d), factor)));
    }
  }
}

// Finds K or V of positions [begin, end).
void FindVectors(const AttentionCall& call, int64_t begin, int64_t end, bool keys,
                 const std::byte** vectors) {
  const int64_t bytes = VectorBytes(call.cache.dtype, call.head_dim);
  for (int64_t at = begin; at < end;) {
    const CacheRun run = RunAt(call.cache, call.head_dim, at, end, end - begin);
    const std::byte* from = keys ? run.k : run.v;
    for (int64_t i = 0; i < run.positions; ++i) vectors[at - begin + i] = from + i * bytes;
    at += run.positions;
  }
}

int64_t Padded(int64_t positions) {
  return (positions + kTileColumns - 1) / kTileColumns * kTileColumns;
}

// Packs K and V of positions [begin, end).
void PackBlock(const AttentionCall& call, const Scratch& s, int64_t begin, int64_t end) {
  const PanelBlock block = {call.head_dim,    end - begin, Padded(end - begin),
                            call.cache.dtype, s.vectors,   s.halves};
  FindVectors(call, begin, end, true, s.vectors);
  PackKeys(block, s.k);
  FindVectors(call, begin, end, false, s.vectors);
  PackValues(block, s.v);
}

// 1 in bf16, eight times.
bfloat16x8_t Ones() {
  uint16x8_t one = vdupq_n_u16(0x3f80);
  asm("" : "+w"(one));  // g++ 12 mistakes the constant for an f16 and makes it 1/128
  return vreinterpretq_bf16_u16(one);
}

// Computes the weights of one tile for 16 positions from `position` on; `done` steps of the block
// precede them. multiply(sums) adds the products of Q and K.
template <class Multiply>
[[gnu::always_inline]] inline void ScoreTile(TileRows* rows, int64_t head_dim, int64_t position,
                                             int64_t done, bfloat16x8_t ones, uint16_t* weights,
                                             float* out, const Multiply& multiply) {
  TileSums sums;
#pragma GCC unroll 3
  for (int r = 0; r < kTilePairs; ++r) {
#pragma GCC unroll 8
    for (int j = 0; j < kColumnPairs; ++j) sums[r][j] = rows->start[r];
  }
  multiply(sums);
  const bool hides = position + kTileColumns - 1 > rows->first_visible;
  if (hides) HideLater(*rows, position, sums);
  float32x4_t most[kColumnPairs];  // in parallel: one chain of 24 would take 48 cycles
#pragma GCC unroll 8
  for (int j = 0; j < kColumnPairs; ++j) {
    most[j] = vmaxq_f32(vmaxq_f32(sums[0][j], sums[1][j]), sums[2][j]);
  }
#pragma GCC unroll 3
  for (int half = kColumnPairs / 2; half > 0; half /= 2) {
#pragma GCC unroll 4
    for (int j = 0; j < half; ++j) most[j] = vmaxq_f32(most[j], most[j + half]);
  }
  if (rows->fresh || !(vmaxvq_f32(most[0]) <= kReference + kSlack)) [[unlikely]] {
    TileSums moved;  // a copy: variables whose address is taken stay in memory
    memcpy(moved, sums, sizeof moved);
    MoveReferences(rows, moved, weights, done, out, ValuePanels(head_dim));
    memcpy(sums, moved, sizeof moved);
  }
  weights += done * kTileRows * kStep;
#pragma GCC unroll 3
  for (int r = 0; r < kTilePairs; ++r) {
    float32x4_t sum = rows->sum[r];
#pragma GCC unroll 4
    for (int j = 0; j < kColumnPairs; j += 2) {
      uint16x8_t w = TileWeights(sums[r][j], sums[r][j + 1]);
      if (hides) w = vandq_u16(w, SeenColumns(*rows, r, position + 2 * j));
      sum = vbfdotq_f32(sum, vreinterpretq_bf16_u16(w), ones);
      vst1q_u16(weights + (j / 2 * kTilePairs + r) * 8, w);
    }
    rows->sum[r] = sum;
  }
}

// Adds one tile's sums of a panel of V over `steps` steps of positions.
inline void AddValues(const uint16_t* weights, const uint16_t* v, int64_t steps, float* out) {
  TileSums sums;
#pragma GCC unroll 24
  for (int i = 0; i < kTilePairs * kColumnPairs; ++i) {
    sums[i / kColumnPairs][i % kColumnPairs] = vld1q_f32(out + i * 4);
  }
  MultiplyTile(sums, weights, v, steps);
#pragma GCC unroll 24
  for (int i = 0; i < kTilePairs * kColumnPairs; ++i) {
    vst1q_f32(out + i * 4, sums[i / kColumnPairs][i % kColumnPairs]);
  }
}

// Steps of positions from `begin` on that have weights: whole tiles.
int64_t StepsSeen(const TileRows& rows, int64_t begin, int64_t padded) {
  const int64_t seen = Padded(rows.last_visible - begin + 1);
  return (seen < padded ? seen : padded) / kStep;
}

// Processes tiles [first, last) against the packed positions [begin, begin + padded).
void AttendTiles(const AttentionCall& call, const Scratch& s, int64_t first, int64_t last,
                 int64_t begin, int64_t padded) {
  const int64_t dim = call.head_dim;
  const int64_t panels = ValuePanels(dim);
  const bfloat16x8_t ones = Ones();
  for (int64_t i = 0; i < padded; i += kTileColumns) {
    for (int64_t t = first; t < last; ++t) {
      if (begin + i > s.rows[t].last_visible) continue;
      ScoreTile(s.rows + t, dim, begin + i, i / kStep, ones,
                s.weights + (t - first) * kWeightElements, s.sums + t * panels * kPanelSums,
                [&](TileSums& sums) __attribute__((always_inline)) {
                  MultiplyTile(sums, s.q + t * dim * kTileRows, s.k + i * dim, dim / kStep);
                });
    }
  }
  for (int64_t p = 0; p < panels; ++p) {
    for (int64_t t = first; t < last; ++t) {
      if (s.rows[t].last_visible < begin) continue;
      AddValues(s.weights + (t - first) * kWeightElements, s.v + p * kPanelPositions * kTileColumns,
                StepsSeen(s.rows[t], begin, padded), s.sums + (t * panels + p) * kPanelSums);
    }
  }
}

// Processes a single tile of kPairs pairs against the f16 positions [begin, end) of the cache.
template <int kPairs>
void AttendDirect(const AttentionCall& call, const Scratch& s, int64_t begin, int64_t end) {
  const int64_t dim = call.head_dim;
  const int64_t padded = Padded(end - begin);
  if (s.rows->last_visible < begin) return;
  const std::byte** keys = s.vectors;
  const std::byte** values = s.vectors + kPanelPositions;
  FindVectors(call, begin, end, true, keys);
  FindVectors(call, begin, end, false, values);
  memset(s.halves, 0, static_cast<size_t>(dim) * 2);  // positions past the end
  for (int64_t i = end - begin; i < padded; ++i) {
    keys[i] = values[i] = reinterpret_cast<const std::byte*>(s.halves);
  }
  const bfloat16x8_t ones = Ones();
  for (int64_t i = 0; i < padded && begin + i <= s.rows->last_visible; i += kTileColumns) {
    // V is read by columns later, which the hardware does not predict.
    for (int64_t k = i; k < i + kTileColumns; ++k) {
      for (int64_t line = 0; line < 2 * dim; line += 64) __builtin_prefetch(values[k] + line, 0, 2);
    }
    ScoreTile(s.rows, dim, begin + i, i / kStep, ones, s.weights, s.sums,
              [&](TileSums& sums) { MultiplyKeys<kPairs>(keys + i, dim, s.q, sums); });
  }
  MultiplyValues<kPairs>(values, dim, s.weights, StepsSeen(*s.rows, begin, padded), s.sums);
}

// Where rows go: those of a token are contiguous.
struct RowsOut {
  float* at;
  int64_t stride;  // floats between tokens

  float* Row(const AttentionCall& call, int64_t row) const {
    return at + row / call.group_heads * stride + row % call.group_heads * call.head_dim;
  }
};

// Stores the sums of a pair of rows, multiplied by their factors.
void StorePair(const AttentionCall& call, const Scratch& s, int64_t pair, float factor0,
               float factor1, const RowsOut& to) {
  const int64_t dim = call.head_dim;
  const int64_t tile = pair / kTilePairs, r = pair % kTilePairs;
  float* first = to.Row(call, 2 * pair);
  // A second row that does not exist is stored in the place of the first, which overwrites it.
  const bool both = 2 * pair + 1 < call.tokens * call.group_heads;
  float* second = both ? to.Row(call, 2 * pair + 1) : first;
  const float* from = s.sums + tile * ValuePanels(dim) * kPanelSums + r * kColumnPairs * 4;
  for (int64_t d = 0; d < dim; d += 4) {
    const float* at = from + d / kTileColumns * kPanelSums + d % kTileColumns * 2;
    float32x4_t v0, v1;
    SplitRows(vld1q_f32(at), vld1q_f32(at + 4), &v0, &v1);
    vst1q_f32(second + d, vmulq_n_f32(v1, factor1));
    vst1q_f32(first + d, vmulq_n_f32(v0, factor0));
  }
}

// The sum of a row's weights.
float WeightSum(const Scratch& s, int64_t row) {
  const float32x4_t sum = s.rows[row / kTileRows].sum[row % kTileRows / 2];
  const float32x2_t lanes = row % 2 == 0 ? vget_low_f32(sum) : vget_high_f32(sum);
  return vget_lane_f32(vpadd_f32(lanes, lanes), 0);
}

float Reference(const Scratch& s, int64_t row) {
  const float32x4_t start = s.rows[row / kTileRows].start[row % kTileRows / 2];
  return kReference - (row % 2 == 0 ? vgetq_lane_f32(start, 0) : vgetq_lane_f32(start, 2));
}

// Computes the sums of all rows over positions [begin, end).
Scratch Attend(const AttentionCall& call, int64_t begin, int64_t end) {
  const int64_t rows = call.tokens * call.group_heads;
  const int64_t tiles = TilesOf(rows);
  const Scratch s = Divide(call.scratch, rows, call.head_dim);
  for (int64_t t = 0; t < tiles; ++t) MakeTileRows(call, t, end, s.rows + t);
  MakeQueries(call, tiles, s.q);
  memset(s.sums, 0, static_cast<size_t>(tiles * ValuePanels(call.head_dim) * kPanelSums) * 4);
  for (; begin < end; begin += kPanelPositions) {
    const int64_t block_end = end - begin < kPanelPositions ? end : begin + kPanelPositions;
    if (tiles == 1 && call.cache.dtype == DType::kF16) {
      if (rows <= 2) {
        AttendDirect<1>(call, s, begin, block_end);
      } else if (rows <= 4) {
        AttendDirect<2>(call, s, begin, block_end);
      } else {
        AttendDirect<3>(call, s, begin, block_end);
      }
      continue;
    }
    PackBlock(call, s, begin, block_end);
    for (int64_t t = 0; t < tiles; t += kBlockTiles) {
      AttendTiles(call, s, t, t + kBlockTiles < tiles ? t + kBlockTiles : tiles, begin,
                  Padded(block_end - begin));
    }
  }
  return s;
}

}  // namespace

uint64_t TilesScratchBytes(int64_t tokens, int64_t group_heads, int64_t head_dim) {
  return Divide(nullptr, tokens * group_heads, head_dim).bytes;
}

void AttendTilesWhole(const AttentionCall& call) {
  const int64_t rows = call.tokens * call.group_heads;
  const Scratch s = Attend(call, 0, call.first_visible + call.tokens);
  for (int64_t row = 0; row < rows; row += 2) {
    StorePair(call, s, row / 2, 1.0f / (kHalfUnit * WeightSum(s, row)),
              1.0f / (kHalfUnit * WeightSum(s, row + 1)), {call.out, call.out_stride});
  }
}

void AttendTilesRange(const AttentionCall& call, int64_t begin, int64_t end,
                      const AttentionPart& part) {
  const int64_t rows = call.tokens * call.group_heads;
  const int64_t seen = call.first_visible + call.tokens;
  const Scratch s = Attend(call, begin, end < seen ? end : seen);
  constexpr float kPerReference = 0x1p-80f;
  static_assert(kReference == 80);
  const RowsOut out = {part.out, part.out_stride};
  for (int64_t row = 0; row < rows; row += 2) {
    StorePair(call, s, row / 2, kPerReference * kPerHalfUnit, kPerReference * kPerHalfUnit, out);
  }
  for (int64_t row = 0; row < rows; ++row) {
    const bool sees = LastVisible(call, row, end) >= begin;
    part.max[row] = sees ? Reference(s, row) : -FLT_MAX;
    part.sum[row] = sees ? WeightSum(s, row) * kPerReference : 0;
    if (!sees) memset(out.Row(call, row), 0, static_cast<size_t>(call.head_dim) * 4);
  }
}

}  // namespace infer::simd::i8mm
