// SPDX-License-Identifier: Apache-2.0
//
// Converts rows of the embedding table to floats. A thread writes 16 elements.
#include <metal_stdlib>
using namespace metal;

#include "args.h"
using namespace infer::shader;

#include "weights.h"

template <typename W>
kernel void Embed(constant EmbedArgs& p [[buffer(0)]], device const uchar* table [[buffer(1)]],
                  device const int* tokens [[buffer(2)]], device float* out [[buffer(3)]],
                  uint2 at [[thread_position_in_grid]]) {
  const uint k = at.x * 16;
  if (k >= p.columns || at.y >= p.tokens) return;
  float values[16];
  W::Load16(table + ulong(uint(tokens[at.y])) * p.row_bytes, k, p.columns, values);
  device float* to = out + ulong(at.y) * p.columns + k;
  const uint count = min(16u, p.columns - k);
  for (uint i = 0; i < count; ++i) to[i] = values[i];
}

template [[host_name("embed_f32")]] kernel decltype(Embed<WeightF32>) Embed<WeightF32>;
template [[host_name("embed_f16")]] kernel decltype(Embed<WeightF16>) Embed<WeightF16>;
template [[host_name("embed_bf16")]] kernel decltype(Embed<WeightBF16>) Embed<WeightBF16>;
template [[host_name("embed_q8_0")]] kernel decltype(Embed<WeightQ8_0>) Embed<WeightQ8_0>;
template [[host_name("embed_q4_0")]] kernel decltype(Embed<WeightQ4_0>) Embed<WeightQ4_0>;
template [[host_name("embed_q4_k")]] kernel decltype(Embed<WeightQ4_K>) Embed<WeightQ4_K>;
template [[host_name("embed_q6_k")]] kernel decltype(Embed<WeightQ6_K>) Embed<WeightQ6_K>;
