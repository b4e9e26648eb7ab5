// SPDX-License-Identifier: Apache-2.0
//
// rope: one thread per pair. qk_norm_rope: one simdgroup per head of q and of k.
#include <metal_stdlib>
using namespace metal;

#include "args.h"
using namespace infer::shader;

#include "heads.h"

kernel void rope_f32(constant HeadArgs* p [[buffer(0)]], device const float* x [[buffer(1)]],
                     device const int* token_pos [[buffer(2)]], device float* out [[buffer(3)]],
                     uint2 at [[thread_position_in_grid]]) {
  const uint pairs = p->head_dim / 2;
  const uint head = at.x / pairs, pair = at.x % pairs;
  if (head >= p->heads || at.y >= p->tokens) return;
  const ulong start = (ulong(at.y) * p->heads + head) * p->head_dim;
  const ulong first = start + FirstOf(p, pair), second = start + SecondOf(p, pair);
  const float2 turned = Rotate(x[first], x[second], CosineAndSine(p, token_pos[at.y], pair));
  out[first] = turned.x;
  out[second] = turned.y;
}

// The heads of q come before those of k. The result may be the memory of its input.
kernel void qk_norm_rope_f32(constant HeadArgs* p [[buffer(0)]],
                             device const float* q [[buffer(1)]],
                             device const float* k [[buffer(2)]],
                             device const float* q_norm [[buffer(3)]],
                             device const float* k_norm [[buffer(4)]],
                             device const int* token_pos [[buffer(5)]],
                             device float* q_out [[buffer(6)]], device float* k_out [[buffer(7)]],
                             uint group [[threadgroup_position_in_grid]],
                             ushort lane [[thread_index_in_simdgroup]],
                             ushort simd [[simdgroup_index_in_threadgroup]],
                             ushort simds [[simdgroups_per_threadgroup]]) {
  const uint all_heads = p->heads + p->kv_heads;
  const uint item = group * simds + simd;
  const uint token = item / all_heads, head = item % all_heads;
  if (token >= p->tokens) return;
  const bool is_q = head < p->heads;
  const ulong at = (is_q ? ulong(token) * p->heads + head
                         : ulong(token) * p->kv_heads + head - p->heads) *
                   p->head_dim;
  device const float* x = (is_q ? q : k) + at;
  device const float* weight = is_q ? q_norm : k_norm;
  device float* out = (is_q ? q_out : k_out) + at;
  const float inverse = HeadNorm(x, p->head_dim, p->eps, lane);
  for (uint pair = lane; pair < p->head_dim / 2; pair += 32) {
    const float2 turned = NormAndRotate(p, x, weight, inverse, token_pos[token], pair);
    out[FirstOf(p, pair)] = turned.x;
    out[SecondOf(p, pair)] = turned.y;
  }
}
