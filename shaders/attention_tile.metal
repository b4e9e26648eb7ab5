// SPDX-License-Identifier: Apache-2.0
//
// Attention for many tokens: 8 tokens of one sequence and one head in a group of four simdgroups.
// Keys and values pass through threadgroup memory, 32 positions at a time, because the cache may be
// quantised and its blocks can be anywhere.
#include <metal_stdlib>
#include <metal_simdgroup_matrix>
using namespace metal;

#include "args.h"
using namespace infer::shader;

#include "cache.h"

constant int kHeadDim [[function_constant(0)]];  // a multiple of 32, up to 128

enum : uint { kThreads = 128, kSimdgroups = 4 };

inline float Weight(float x, float largest) {
  return x == -INFINITY ? 0.0f : precise::exp(x - largest);
}

// Copies 32 vectors of the cache, those beyond `count` as zeros: the memory there may not hold
// numbers. Returns false if an element that this thread copied is not finite.
template <typename Cache>
inline bool Stage(device const uchar* cache, device const int* table, uint base, uint count,
                  uint kv_head, constant AttentionArgs& p, uint thread_index,
                  threadgroup float* to) {
  const uint head_dim = uint(kHeadDim);
  const uint key = thread_index / 4;
  const uint position = base + min(key, count - 1);
  const uint slot = uint(table[position / p.block_positions]) * p.block_positions +
                    position % p.block_positions;
  device const uchar* vector =
      cache + VectorAt(slot, kv_head, p.kv_heads, p.block_positions) * Cache::Bytes(head_dim);
  bool finite = true;
  for (uint i = 0; i < head_dim / 32; ++i) {
    for (uint part = thread_index % 4; part < 8; part += 4) {
      const float4 four = key < count ? Cache::Load4(vector, i, part) : float4(0.0f);
      threadgroup float* at = to + key * head_dim + 32 * i + 4 * part;
      at[0] = four.x;
      at[1] = four.y;
      at[2] = four.z;
      at[3] = four.w;
      finite &= IsFinite(four.x) && IsFinite(four.y) && IsFinite(four.z) && IsFinite(four.w);
    }
  }
  return finite;
}

// Loads the queries of `count` tokens, scaled; zeros for the rest of the tile.
inline void LoadQueries(device const float* from, uint count, constant AttentionArgs& p,
                        uint thread_index, threadgroup float* queries) {
  const uint head_dim = uint(kHeadDim);
  for (uint i = thread_index; i < kTileQueries * head_dim; i += kThreads) {
    const uint row = i / head_dim;
    const ulong at = ulong(row) * p.heads * head_dim + i % head_dim;
    queries[i] = row < count ? from[at] * p.scale : 0.0f;
  }
}

// Computes the scores of the tile's 8 queries with the 8 keys of this simdgroup.
inline void ScoreTile(threadgroup const float* queries, threadgroup const float* keys, ushort simd,
                      threadgroup float* weights) {
  const uint head_dim = uint(kHeadDim);
  simdgroup_float8x8 scores = make_filled_simdgroup_matrix<float, 8>(0.0f);
  for (uint d = 0; d < head_dim; d += 8) {
    simdgroup_float8x8 a, b;
    simdgroup_load(a, queries + d, head_dim);
    simdgroup_load(b, keys + simd * 8 * head_dim + d, head_dim, ulong2(0, 0), true);
    simdgroup_multiply_accumulate(scores, a, b, scores);
  }
  simdgroup_store(scores, weights + simd * 8, kTileKeys);
}

// The softmax of one row so far, kept by all lanes of a simdgroup.
struct RunningSoftmax {
  float largest;
  float total;
};

// Processes 32 scores, one per lane. Scores become weights; returns the factor for the sums so far.
// `seen` of the scores are visible.
inline float TakeScores(threadgroup float* scores, uint seen, ushort lane,
                        thread RunningSoftmax& softmax) {
  const float score = lane < seen ? scores[lane] : -INFINITY;
  const float before = softmax.largest;
  softmax.largest = max(before, simd_max(IsNan(score) ? -INFINITY : score));
  const float weight = Weight(score, softmax.largest);
  const float faded = Weight(before, softmax.largest);
  softmax.total = softmax.total * faded + simd_sum(weight);
  scores[lane] = weight;
  return faded;
}

// Adds weights times values to this simdgroup's quarter of the columns. The sums are rescaled
// element by element: as a product with a diagonal matrix, a NaN of one token would spoil the other
// seven.
inline void AddValues(threadgroup const float* weights, threadgroup const float* values,
                      threadgroup const float* faded, ushort lane, ushort simd,
                      threadgroup float* sums) {
  const uint head_dim = uint(kHeadDim), columns = uint(kHeadDim) / 4;
  const uint first = simd * columns;
  for (uint i = lane; i < kTileQueries * columns; i += 32) {
    sums[i / columns * head_dim + first + i % columns] *= faded[i / columns];
  }
  simdgroup_barrier(mem_flags::mem_threadgroup);
  for (uint column = first; column < first + columns; column += 8) {
    simdgroup_float8x8 sum;
    simdgroup_load(sum, sums + column, head_dim);
    for (uint key = 0; key < kTileKeys; key += 8) {
      simdgroup_float8x8 a, b;
      simdgroup_load(a, weights + key, kTileKeys);
      simdgroup_load(b, values + key * head_dim + column, head_dim);
      simdgroup_multiply_accumulate(sum, a, b, sum);
    }
    simdgroup_store(sum, sums + column, head_dim);
  }
}

// The same one by one, for the keys that each token sees: in a matrix product, a value of a later
// token that is not finite would spoil the earlier ones although its weight is zero.
inline void AddVisibleValues(threadgroup const float* weights, threadgroup const float* values,
                             threadgroup const float* faded, device const int* positions,
                             uint count, uint base, ushort lane, ushort simd,
                             threadgroup float* sums) {
  const uint head_dim = uint(kHeadDim), columns = uint(kHeadDim) / 4;
  for (uint i = lane; i < count * columns; i += 32) {
    const uint row = i / columns, column = simd * columns + i % columns;
    const uint end = uint(positions[row]) + 1;
    const uint seen = end > base ? min(end - base, uint(kTileKeys)) : 0;
    float sum = sums[row * head_dim + column] * faded[row];
    for (uint key = 0; key < seen; ++key) {
      sum += weights[row * kTileKeys + key] * values[key * head_dim + column];
    }
    sums[row * head_dim + column] = sum;
  }
}

template <typename Cache>
kernel void AttentionTile(constant AttentionArgs& p [[buffer(0)]],
                          device const float* q [[buffer(1)]],
                          device const uchar* keys [[buffer(2)]],
                          device const uchar* values [[buffer(3)]],
                          device const int* token_seq [[buffer(4)]],
                          device const int* token_pos [[buffer(5)]],
                          device const SequenceArgs* sequences [[buffer(6)]],
                          device const int* block_tables [[buffer(7)]],
                          device float* out [[buffer(8)]],
                          threadgroup float* queries [[threadgroup(0)]],
                          uint2 group [[threadgroup_position_in_grid]],
                          uint thread_index [[thread_index_in_threadgroup]],
                          ushort lane [[thread_index_in_simdgroup]],
                          ushort simd [[simdgroup_index_in_threadgroup]]) {
  const uint head_dim = uint(kHeadDim);                     // queries: 8 x head_dim
  threadgroup float* sums = queries + kTileQueries * head_dim;  // 8 x head_dim
  threadgroup float* vectors = sums + kTileQueries * head_dim;  // 32 x head_dim: keys, then values
  threadgroup float* weights = vectors + kTileKeys * head_dim;  // 8 x 32: scores, then weights
  threadgroup float* faded = weights + kTileQueries * kTileKeys;    // 8
  threadgroup float* totals = faded + kTileQueries;             // 8
  threadgroup float* finite = totals + kTileQueries;            // 4: values of each simdgroup

  const uint head = group.y, kv_head = head / (p.heads / p.kv_heads);
  const uint first = group.x * kTileQueries;  // first token of the tile in this dispatch
  const uint count = min(uint(kTileQueries), p.tokens - first);
  device const int* positions = token_pos + p.first_token + first;
  device const int* table = block_tables + sequences[token_seq[p.first_token]].first_block;
  const uint visible = uint(positions[count - 1]) + 1;  // to the last token of the tile

  device const float* from = q + (ulong(p.first_token + first) * p.heads + head) * head_dim;
  LoadQueries(from, count, p, thread_index, queries);
  for (uint i = thread_index; i < kTileQueries * head_dim; i += kThreads) sums[i] = 0.0f;
  // A simdgroup handles rows 2 * simd and 2 * simd + 1.
  RunningSoftmax softmax[2] = {{-INFINITY, 0.0f}, {-INFINITY, 0.0f}};
  for (uint base = 0; base < visible; base += kTileKeys) {
    const uint staged = min(uint(kTileKeys), visible - base);
    Stage<Cache>(keys, table, base, staged, kv_head, p, thread_index, vectors);
    threadgroup_barrier(mem_flags::mem_threadgroup);
    ScoreTile(queries, vectors, simd, weights);
    threadgroup_barrier(mem_flags::mem_threadgroup);
    const bool numbers =
        Stage<Cache>(values, table, base, staged, kv_head, p, thread_index, vectors);
    const bool all_numbers = simd_all(numbers);
    if (lane == 0) finite[simd] = all_numbers ? 1.0f : 0.0f;
    for (uint i = 0; i < 2; ++i) {
      const uint row = 2 * simd + i;
      const uint end = row < count ? uint(positions[row]) + 1 : 0;
      const uint seen = end > base ? end - base : 0;
      const float kept = TakeScores(weights + row * kTileKeys, seen, lane, softmax[i]);
      if (lane == 0) faded[row] = kept;
    }
    threadgroup_barrier(mem_flags::mem_threadgroup);
    if (finite[0] + finite[1] + finite[2] + finite[3] == float(kSimdgroups)) {
      AddValues(weights, vectors, faded, lane, simd, sums);
    } else {
      AddVisibleValues(weights, vectors, faded, positions, count, base, lane, simd, sums);
    }
    threadgroup_barrier(mem_flags::mem_threadgroup);
  }
  if (lane < 2) totals[2 * simd + lane] = lane == 0 ? softmax[0].total : softmax[1].total;
  threadgroup_barrier(mem_flags::mem_threadgroup);
  device float* to = out + (ulong(first) * p.heads + head) * head_dim;
  for (uint i = thread_index; i < count * head_dim; i += kThreads) {
    const uint row = i / head_dim;
    const float value = totals[row] == 0.0f ? 0.0f : sums[i] / totals[row];
    to[ulong(row) * p.heads * head_dim + i % head_dim] = value;
  }
}

template [[host_name("attention_tile_f32")]] kernel decltype(AttentionTile<CacheF32>)
    AttentionTile<CacheF32>;
template [[host_name("attention_tile_f16")]] kernel decltype(AttentionTile<CacheF16>)
    AttentionTile<CacheF16>;
template [[host_name("attention_tile_q8_0")]] kernel decltype(AttentionTile<CacheQ8_0>)
    AttentionTile<CacheQ8_0>;
