// SPDX-License-Identifier: Apache-2.0
//
// Vectors of the KV cache by type. K and V are separate, each [block][kv_head][position in
// block][head_dim].
//   Bytes(head_dim)         size of a vector
//   Load4(v, i, part)       elements 32 * i + 4 * part and the three after it
//   Load1(v, i, lane)       element 32 * i + lane
//   Store(values, ...)      a whole vector, by all lanes of a simdgroup
#pragma once

#include "reduce.h"

struct CacheF32 {
  static ulong Bytes(uint head_dim) { return 4ul * head_dim; }
  static float4 Load4(device const uchar* v, uint i, uint part) {
    return *(device const float4*)(v + (32 * i + 4 * part) * 4);
  }
  static float Load1(device const uchar* v, uint i, uint lane) {
    return ((device const float*)v)[32 * i + lane];
  }
  static void Store(threadgroup const float* values, uint head_dim, ushort lane, device uchar* to) {
    for (uint i = lane; i < head_dim; i += 32) ((device float*)to)[i] = values[i];
  }
};

struct CacheF16 {
  static ulong Bytes(uint head_dim) { return 2ul * head_dim; }
  static float4 Load4(device const uchar* v, uint i, uint part) {
    return float4(*(device const half4*)(v + (32 * i + 4 * part) * 2));
  }
  static float Load1(device const uchar* v, uint i, uint lane) {
    return float(((device const half*)v)[32 * i + lane]);
  }
  static void Store(threadgroup const float* values, uint head_dim, ushort lane, device uchar* to) {
    for (uint i = lane; i < head_dim; i += 32) ((device half*)to)[i] = half(values[i]);
  }
};

// Blocks of 34 bytes, with the same bits as the scalar kernel stores: float operations step by
// step, ties to even; a block with a number that is not finite reads as NaN.
struct CacheQ8_0 {
  static ulong Bytes(uint head_dim) { return 34ul * (head_dim / 32); }
  static float4 Load4(device const uchar* v, uint i, uint part) {
    device const uchar* block = v + 34 * i;
    device const int8_t* q = (device const int8_t*)(block + 2 + 4 * part);
    return float(*(device const half*)block) * float4(q[0], q[1], q[2], q[3]);
  }
  static float Load1(device const uchar* v, uint i, uint lane) {
    device const uchar* block = v + 34 * i;
    return float(*(device const half*)block) * float(((device const int8_t*)(block + 2))[lane]);
  }
  static void Store(threadgroup const float* values, uint head_dim, ushort lane, device uchar* to) {
    for (uint i = 0; i < head_dim / 32; ++i) {
      const float x = values[32 * i + lane];
      const bool finite = simd_all(IsFinite(x));
      const float scale = simd_max(fabs(x)) / 127.0f;
      const float inverse = scale > 0.0f ? 1.0f / scale : 0.0f;
      // A scale below 2^-128 has no inverse.
      const float scaled = inverse == INFINITY ? x / scale : x * inverse;
      const float quant = finite ? clamp(rint(scaled), -128.0f, 127.0f) : 0.0f;
      device uchar* block = to + 34 * i;
      ((device int8_t*)(block + 2))[lane] = int8_t(quant);
      const ushort stored = finite ? as_type<ushort>(half(scale)) : ushort(0x7e00);
      if (lane == 0) *(device ushort*)block = stored;
    }
  }
};

// Returns the index of the vector of `head` at the physical `slot`.
inline ulong VectorAt(uint slot, uint head, uint kv_heads, uint block_positions) {
  return (ulong(slot / block_positions) * kv_heads + head) * block_positions +
         slot % block_positions;
}
