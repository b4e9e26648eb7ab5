// SPDX-License-Identifier: Apache-2.0
//
// The cache entries that a call sees, numbered across its sequences, each from position 0: they are
// the rows of kv_read and the columns of attn_mask.
#include <metal_stdlib>
using namespace metal;

#include "args.h"
using namespace infer::shader;

#include "cache.h"

// The result may be the memory of the scores.
kernel void attn_mask_f32(constant GatherArgs& p [[buffer(0)]],
                          device const float* scores [[buffer(1)]],
                          device const int* token_seq [[buffer(2)]],
                          device const int* token_pos [[buffer(3)]],
                          device const SequenceArgs* sequences [[buffer(4)]],
                          device float* out [[buffer(5)]],
                          uint2 at [[thread_position_in_grid]]) {
  if (at.x >= p.columns || at.y >= p.rows) return;
  uint first = 0;  // first entry of the token's sequence
  for (int i = 0; i < token_seq[at.y]; ++i) first += uint(sequences[i].length);
  const bool visible = at.x >= first && at.x - first <= uint(token_pos[at.y]);
  const ulong to = ulong(at.y) * p.columns + at.x;
  out[to] = visible ? scores[to] : -INFINITY;
}

template <typename Cache>
kernel void KvRead(constant EntryArgs& p [[buffer(0)]], device const uchar* k_cache [[buffer(1)]],
                   device const uchar* v_cache [[buffer(2)]],
                   device const SequenceArgs* sequences [[buffer(3)]],
                   device const int* block_tables [[buffer(4)]], device float* k [[buffer(5)]],
                   device float* v [[buffer(6)]], uint2 at [[thread_position_in_grid]]) {
  const uint columns = p.kv_heads * p.head_dim;
  if (at.x >= columns || at.y >= p.entries) return;
  uint position = at.y, sequence = 0;
  while (position >= uint(sequences[sequence].length)) {
    position -= uint(sequences[sequence].length);
    ++sequence;
  }
  device const int* table = block_tables + sequences[sequence].first_block;
  const uint slot = uint(table[position / p.block_positions]) * p.block_positions +
                    position % p.block_positions;
  const uint element = at.x % p.head_dim;
  const ulong from = VectorAt(slot, at.x / p.head_dim, p.kv_heads, p.block_positions) *
                     Cache::Bytes(p.head_dim);
  const ulong to = ulong(at.y) * columns + at.x;
  k[to] = Cache::Load1(k_cache + from, element / 32, element % 32);
  v[to] = Cache::Load1(v_cache + from, element / 32, element % 32);
}

template [[host_name("kv_read_f32")]] kernel decltype(KvRead<CacheF32>) KvRead<CacheF32>;
template [[host_name("kv_read_f16")]] kernel decltype(KvRead<CacheF16>) KvRead<CacheF16>;
template [[host_name("kv_read_q8_0")]] kernel decltype(KvRead<CacheQ8_0>) KvRead<CacheQ8_0>;
