// SPDX-License-Identifier: Apache-2.0
//
// Attention for few tokens: one token and head per group. The simdgroups divide the positions, 32
// at a time, each with a running softmax; at the end their parts are merged.
#include <metal_stdlib>
using namespace metal;

#include "args.h"
using namespace infer::shader;

#include "cache.h"

constant int kHeadDim [[function_constant(0)]];  // a multiple of 32, up to 256

enum : uint { kMaxRuns = 8 };  // of 32 elements in a head

// Returns exp(x - largest); positions that are not visible get zero weight, and NaN stays NaN.
inline float Weight(float x, float largest) {
  return x == -INFINITY ? 0.0f : precise::exp(x - largest);
}

// The positions that a token sees, and where their vectors are.
struct Visible {
  uint count;
  uint kv_head;
  uint kv_heads;
  uint block_positions;
};

inline ulong VectorOf(uint position, Visible seen, device const int* table) {
  const uint block = uint(table[position / seen.block_positions]);
  return VectorAt(block * seen.block_positions + position % seen.block_positions, seen.kv_head,
                  seen.kv_heads, seen.block_positions);
}

// Returns the score of this lane's key among `count` keys from `base` on, -inf beyond them; stores
// the index of its vector in `vectors`. Eight lanes share a key: lane % 8 processes 4 elements of
// each run.
template <typename Cache>
inline float ScoreKeys(device const uchar* keys, device const int* table, Visible seen, uint base,
                       uint count, thread const float4* query, ushort lane,
                       threadgroup uint* vectors) {
  const uint own = lane % 8 * 4 + lane / 8;
  float score = -INFINITY;
  for (uint j = 0; j * 4 < count; ++j) {
    const ulong at = VectorOf(base + min(j * 4 + lane / 8, count - 1), seen, table);
    device const uchar* vector = keys + at * Cache::Bytes(uint(kHeadDim));
    float sum = 0.0f;
    for (uint i = 0; i < uint(kHeadDim) / 32; ++i) {
      sum += dot(query[i], Cache::Load4(vector, i, lane % 8));
    }
    sum += simd_shuffle_xor(sum, 1);
    sum += simd_shuffle_xor(sum, 2);
    sum += simd_shuffle_xor(sum, 4);
    if (lane % 8 == j && own < count) {
      score = sum;
      vectors[own] = uint(at);
    }
  }
  return score;
}

// Returns element d of the result from the parts of all simdgroups.
inline float Merge(threadgroup const float* parts, uint simds, uint d) {
  const uint stride = AttentionPartFloats(uint(kHeadDim));
  float largest = -INFINITY;
  for (uint i = 0; i < simds; ++i) largest = max(largest, parts[i * stride + kPartLargest]);
  float sum = 0.0f, value = 0.0f;
  for (uint i = 0; i < simds; ++i) {
    threadgroup const float* part = parts + i * stride;
    const float share = Weight(part[kPartLargest], largest);
    sum += share * part[kPartTotal];
    value += share * part[kPartSums + d];
  }
  return sum == 0.0f ? 0.0f : value / sum;
}

template <typename Cache>
kernel void AttentionVector(constant AttentionArgs& p [[buffer(0)]],
                            device const float* q [[buffer(1)]],
                            device const uchar* keys [[buffer(2)]],
                            device const uchar* values [[buffer(3)]],
                            device const int* token_seq [[buffer(4)]],
                            device const int* token_pos [[buffer(5)]],
                            device const SequenceArgs* sequences [[buffer(6)]],
                            device const int* block_tables [[buffer(7)]],
                            device float* out [[buffer(8)]],
                            threadgroup float* parts [[threadgroup(0)]],
                            uint2 group [[threadgroup_position_in_grid]],
                            uint thread_index [[thread_index_in_threadgroup]],
                            ushort lane [[thread_index_in_simdgroup]],
                            ushort simd [[simdgroup_index_in_threadgroup]],
                            ushort simds [[simdgroups_per_threadgroup]]) {
  const uint head_dim = uint(kHeadDim), runs = uint(kHeadDim) / 32;
  const uint head = group.x, token = p.first_token + group.y;
  const Visible seen = {uint(token_pos[token]) + 1, head / (p.heads / p.kv_heads), p.kv_heads,
                        p.block_positions};
  device const int* table = block_tables + sequences[token_seq[token]].first_block;
  threadgroup float* part = parts + simd * AttentionPartFloats(head_dim);
  threadgroup uint* vectors = (threadgroup uint*)(part + kPartVectors);

  float4 query[kMaxRuns];
  float sums[kMaxRuns];
  device const float* from = q + (ulong(token) * p.heads + head) * head_dim;
  for (uint i = 0; i < runs; ++i) {
    query[i] = CacheF32::Load4((device const uchar*)from, i, lane % 8) * p.scale;
    sums[i] = 0.0f;
  }
  float largest = -INFINITY, total = 0.0f;
  for (uint base = simd * 32; base < seen.count; base += simds * 32) {
    const uint count = min(32u, seen.count - base);
    const float score = ScoreKeys<Cache>(keys, table, seen, base, count, query, lane, vectors);
    const float before = largest;
    largest = max(before, simd_max(IsNan(score) ? -INFINITY : score));
    const float weight = Weight(score, largest);
    const float faded = Weight(before, largest);
    total = total * faded + simd_sum(weight);
    part[lane % 8 * 4 + lane / 8] = weight;
    simdgroup_barrier(mem_flags::mem_threadgroup);
    for (uint i = 0; i < runs; ++i) sums[i] *= faded;
    for (uint key = 0; key < count; ++key) {
      device const uchar* vector = values + ulong(vectors[key]) * Cache::Bytes(head_dim);
      for (uint i = 0; i < runs; ++i) sums[i] += part[key] * Cache::Load1(vector, i, lane);
    }
    // Before the next weights: shuffles keep lanes in step but do not order memory.
    simdgroup_barrier(mem_flags::mem_threadgroup);
  }
  for (uint i = 0; i < runs; ++i) part[kPartSums + 32 * i + lane] = sums[i];
  if (lane == 0) {
    part[kPartLargest] = largest;
    part[kPartTotal] = total;
  }
  threadgroup_barrier(mem_flags::mem_threadgroup);
  device float* to = out + (ulong(group.y) * p.heads + head) * head_dim;
  for (uint d = thread_index; d < head_dim; d += 32u * simds) to[d] = Merge(parts, simds, d);
}

template [[host_name("attention_vector_f32")]] kernel decltype(AttentionVector<CacheF32>)
    AttentionVector<CacheF32>;
template [[host_name("attention_vector_f16")]] kernel decltype(AttentionVector<CacheF16>)
    AttentionVector<CacheF16>;
template [[host_name("attention_vector_q8_0")]] kernel decltype(AttentionVector<CacheQ8_0>)
    AttentionVector<CacheQ8_0>;
