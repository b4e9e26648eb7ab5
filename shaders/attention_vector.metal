// SPDX-License-Identifier: Apache-2.0
//
// Attention of one token and head in a group, for few tokens. The simdgroups share out the
// positions, 32 at a time, with a running softmax each; at the end their parts are merged.
#include <metal_stdlib>
using namespace metal;

#include "args.h"
using namespace infer::shader;

#include "reduce.h"
#include "cache.h"

constant int kHeadDim [[function_constant(0)]];  // a multiple of 32, up to 256

enum : uint { kMaxRuns = 8 };  // of 32 elements in a head

// The memory of a simdgroup: 32 weights, 32 numbers of vectors, the largest score, the sum, and
// head_dim sums.
inline uint PartFloats(uint head_dim) { return 66 + head_dim; }

// exp(x - largest) where nothing visible weighs nothing; a NaN stays one.
inline float Weight(float x, float largest) {
  return x == -INFINITY ? 0.0f : precise::exp(x - largest);
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
                            threadgroup float* shared [[threadgroup(0)]],
                            uint2 group [[threadgroup_position_in_grid]],
                            uint thread_index [[thread_index_in_threadgroup]],
                            ushort lane [[thread_index_in_simdgroup]],
                            ushort simd [[simdgroup_index_in_threadgroup]],
                            ushort simds [[simdgroups_per_threadgroup]]) {
  const uint head_dim = uint(kHeadDim), runs = uint(kHeadDim) / 32;
  const uint head = group.x, token = p.first_token + group.y;
  const uint kv_head = head / (p.heads / p.kv_heads);
  const uint visible = uint(token_pos[token]) + 1;
  device const int* table = block_tables + sequences[token_seq[token]].first_block;
  threadgroup float* weights = shared + simd * PartFloats(head_dim);
  threadgroup uint* vectors = (threadgroup uint*)(weights + 32);

  // Eight lanes share a key: lane % 8 takes 4 elements of each run of 32.
  float4 query[kMaxRuns];
  float sums[kMaxRuns];
  device const float* from = q + (ulong(token) * p.heads + head) * head_dim;
  for (uint i = 0; i < runs; ++i) {
    query[i] = CacheF32::Load4((device const uchar*)from, i, lane % 8) * p.scale;
    sums[i] = 0.0f;
  }
  float largest = -INFINITY, total = 0.0f;
  const uint own = lane % 8 * 4 + lane / 8;  // the key of this lane among the 32

  for (uint base = simd * 32; base < visible; base += simds * 32) {
    const uint count = min(32u, visible - base);
    float score = -INFINITY;
    for (uint j = 0; j * 4 < count; ++j) {
      const uint key = base + min(j * 4 + lane / 8, count - 1);
      const uint slot = uint(table[key / p.block_positions]) * p.block_positions +
                        key % p.block_positions;
      const ulong at = VectorAt(slot, kv_head, p.kv_heads, p.block_positions);
      device const uchar* vector = keys + at * Cache::Bytes(head_dim);
      float sum = 0.0f;
      for (uint i = 0; i < runs; ++i) sum += dot(query[i], Cache::Load4(vector, i, lane % 8));
      sum += simd_shuffle_xor(sum, 1);
      sum += simd_shuffle_xor(sum, 2);
      sum += simd_shuffle_xor(sum, 4);
      if (lane % 8 == j && own < count) {
        score = sum;
        vectors[own] = uint(at);
      }
    }
    const float before = largest;
    largest = max(before, simd_max(IsNan(score) ? -INFINITY : score));
    const float weight = Weight(score, largest);
    const float faded = Weight(before, largest);
    total = total * faded + simd_sum(weight);
    weights[own] = weight;
    simdgroup_barrier(mem_flags::mem_threadgroup);
    for (uint i = 0; i < runs; ++i) sums[i] *= faded;
    for (uint key = 0; key < count; ++key) {
      device const uchar* vector = values + ulong(vectors[key]) * Cache::Bytes(head_dim);
      for (uint i = 0; i < runs; ++i) sums[i] += weights[key] * Cache::Load1(vector, i, lane);
    }
    simdgroup_barrier(mem_flags::mem_threadgroup);
  }

  for (uint i = 0; i < runs; ++i) weights[66 + 32 * i + lane] = sums[i];
  if (lane == 0) {
    weights[64] = largest;
    weights[65] = total;
  }
  threadgroup_barrier(mem_flags::mem_threadgroup);
  float all = -INFINITY;
  for (uint i = 0; i < simds; ++i) all = max(all, shared[i * PartFloats(head_dim) + 64]);
  device float* to = out + (ulong(group.y) * p.heads + head) * head_dim;
  for (uint d = thread_index; d < head_dim; d += 32u * simds) {
    float sum = 0.0f, value = 0.0f;
    for (uint i = 0; i < simds; ++i) {
      threadgroup const float* part = shared + i * PartFloats(head_dim);
      const float share = Weight(part[64], all);
      sum += share * part[65];
      value += share * part[66 + d];
    }
    to[d] = sum == 0.0f ? 0.0f : value / sum;
  }
}

template [[host_name("attention_vector_f32")]] kernel decltype(AttentionVector<CacheF32>)
    AttentionVector<CacheF32>;
template [[host_name("attention_vector_f16")]] kernel decltype(AttentionVector<CacheF16>)
    AttentionVector<CacheF16>;
template [[host_name("attention_vector_q8_0")]] kernel decltype(AttentionVector<CacheQ8_0>)
    AttentionVector<CacheQ8_0>;
