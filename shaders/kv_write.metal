// SPDX-License-Identifier: Apache-2.0
//
// kv_write and attention_inputs: one simdgroup per head of a token. A vector to be stored in the
// cache passes through threadgroup memory, where blocks of a quantised cache are side by side.
#include <metal_stdlib>
using namespace metal;

#include "args.h"
using namespace infer::shader;

#include "cache.h"
#include "heads.h"

// The heads of k come before those of v.
template <typename Cache>
kernel void KvWrite(constant HeadArgs* p [[buffer(0)]], device const float* k [[buffer(1)]],
                    device const float* v [[buffer(2)]], device const int* token_slot [[buffer(3)]],
                    device uchar* k_cache [[buffer(4)]], device uchar* v_cache [[buffer(5)]],
                    threadgroup float* vectors [[threadgroup(0)]],
                    uint group [[threadgroup_position_in_grid]],
                    ushort lane [[thread_index_in_simdgroup]],
                    ushort simd [[simdgroup_index_in_threadgroup]],
                    ushort simds [[simdgroups_per_threadgroup]]) {
  const uint item = group * simds + simd;
  const uint token = item / (2 * p->kv_heads), head = item % (2 * p->kv_heads);
  if (token >= p->tokens) return;
  const uint kv_head = head % p->kv_heads;
  device const float* x =
      (head < p->kv_heads ? k : v) + (ulong(token) * p->kv_heads + kv_head) * p->head_dim;
  threadgroup float* vector = vectors + simd * p->head_dim;
  // No barrier: a lane stores the elements that it copies.
  for (uint i = lane; i < p->head_dim; i += 32) vector[i] = x[i];
  const ulong to = VectorAt(token_slot[token], kv_head, p->kv_heads, p->block_positions);
  Cache::Store(vector, p->head_dim, lane,
               (head < p->kv_heads ? k_cache : v_cache) + to * Cache::Bytes(p->head_dim));
}

template [[host_name("kv_write_f32")]] kernel decltype(KvWrite<CacheF32>) KvWrite<CacheF32>;
template [[host_name("kv_write_f16")]] kernel decltype(KvWrite<CacheF16>) KvWrite<CacheF16>;
template [[host_name("kv_write_q8_0")]] kernel decltype(KvWrite<CacheQ8_0>) KvWrite<CacheQ8_0>;

// The heads of q, then those of k, then those of v.
template <typename Cache>
kernel void AttentionInputs(constant HeadArgs* p [[buffer(0)]], device const float* q [[buffer(1)]],
                            device const float* k [[buffer(2)]],
                            device const float* v [[buffer(3)]],
                            device const float* q_norm [[buffer(4)]],
                            device const float* k_norm [[buffer(5)]],
                            device const int* token_pos [[buffer(6)]],
                            device const int* token_slot [[buffer(7)]],
                            device float* q_out [[buffer(8)]], device uchar* k_cache [[buffer(9)]],
                            device uchar* v_cache [[buffer(10)]],
                            threadgroup float* vectors [[threadgroup(0)]],
                            uint group [[threadgroup_position_in_grid]],
                            ushort lane [[thread_index_in_simdgroup]],
                            ushort simd [[simdgroup_index_in_threadgroup]],
                            ushort simds [[simdgroups_per_threadgroup]]) {
  const uint all_heads = p->heads + 2 * p->kv_heads;
  const uint item = group * simds + simd;
  const uint token = item / all_heads, head = item % all_heads;
  if (token >= p->tokens) return;
  const uint half_dim = p->head_dim / 2;
  if (head < p->heads) {
    const ulong at = (ulong(token) * p->heads + head) * p->head_dim;
    const float inverse = HeadNorm(q + at, p->head_dim, p->eps, lane);
    for (uint pair = lane; pair < half_dim; pair += 32) {
      const float2 turned = NormAndRotate(p, q + at, q_norm, inverse, token_pos[token], pair);
      q_out[at + FirstOf(p, pair)] = turned.x;
      q_out[at + SecondOf(p, pair)] = turned.y;
    }
    return;
  }
  const bool is_k = head < p->heads + p->kv_heads;
  const uint kv_head = (head - p->heads) % p->kv_heads;
  const ulong at = (ulong(token) * p->kv_heads + kv_head) * p->head_dim;
  threadgroup float* vector = vectors + simd * p->head_dim;
  if (is_k) {
    const float inverse = HeadNorm(k + at, p->head_dim, p->eps, lane);
    for (uint pair = lane; pair < half_dim; pair += 32) {
      const float2 turned = NormAndRotate(p, k + at, k_norm, inverse, token_pos[token], pair);
      vector[FirstOf(p, pair)] = turned.x;
      vector[SecondOf(p, pair)] = turned.y;
    }
  } else {
    for (uint i = lane; i < p->head_dim; i += 32) vector[i] = v[at + i];
  }
  simdgroup_barrier(mem_flags::mem_threadgroup);
  const ulong to = VectorAt(token_slot[token], kv_head, p->kv_heads, p->block_positions);
  Cache::Store(vector, p->head_dim, lane,
               (is_k ? k_cache : v_cache) + to * Cache::Bytes(p->head_dim));
}

template [[host_name("attention_inputs_f32")]] kernel decltype(AttentionInputs<CacheF32>)
    AttentionInputs<CacheF32>;
template [[host_name("attention_inputs_f16")]] kernel decltype(AttentionInputs<CacheF16>)
    AttentionInputs<CacheF16>;
template [[host_name("attention_inputs_q8_0")]] kernel decltype(AttentionInputs<CacheQ8_0>)
    AttentionInputs<CacheQ8_0>;
