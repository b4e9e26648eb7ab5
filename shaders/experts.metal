// SPDX-License-Identifier: Apache-2.0
//
// expert_linear, top_k and combine.
#include <metal_stdlib>
using namespace metal;

#include "args.h"
using namespace infer::shader;

#include "weights.h"
#include "reduce.h"

enum : uint {
  kExpertChunk = 16,                // elements that a lane processes at once
  kExpertStep = 32 * kExpertChunk,  // elements per simdgroup and step
};

// A group computes outputs of one place, with the matrix of the expert that `ids` names for it. The
// lanes of a simdgroup divide the columns. Rows beyond the end repeat the last one, so that all
// lanes reach every simd_sum, and are not stored.
template <typename W>
kernel void ExpertMatvec(constant ExpertArgs& p [[buffer(0)]],
                         device const uchar* weight [[buffer(1)]],
                         device const float* x [[buffer(2)]], device const int* ids [[buffer(3)]],
                         device float* out [[buffer(4)]],
                         uint2 group [[threadgroup_position_in_grid]],
                         ushort lane [[thread_index_in_simdgroup]],
                         ushort simd [[simdgroup_index_in_threadgroup]],
                         ushort simds [[simdgroups_per_threadgroup]]) {
  const uint place = group.y;
  const int id = ids[place];
  const bool known = id >= 0 && uint(id) < p.experts;
  device const uchar* matrix = weight + ulong(known ? id : 0) * p.outputs * p.row_bytes;
  device const uchar* row_x = (device const uchar*)(x + ulong(place / p.places_per_row) * p.inner);
  const uint row0 = (group.x * simds + simd) * kExpertRows;
  float sums[kExpertRows];
  for (uint r = 0; r < kExpertRows; ++r) sums[r] = 0.0f;
  for (uint k = lane * kExpertChunk; k < p.inner; k += kExpertStep) {
    float xs[kExpertChunk];
    WeightF32::Load16(row_x, k, p.inner, xs);
    for (uint r = 0; r < kExpertRows; ++r) {
      const uint row = min(row0 + r, p.outputs - 1);
      float w[kExpertChunk];
      W::Load16(matrix + ulong(row) * p.row_bytes, k, p.inner, w);
      float sum = 0.0f;
      for (uint i = 0; i < kExpertChunk; ++i) sum += w[i] * xs[i];
      sums[r] += sum;
    }
  }
  for (uint r = 0; r < kExpertRows; ++r) {
    const float sum = simd_sum(sums[r]);
    const uint row = row0 + r;
    const float result = known ? sum : as_type<float>(0x7fc00000u);  // NaN
    if (lane == 0 && row < p.outputs) out[ulong(place) * p.outputs + row] = result;
  }
}

template [[host_name("expert_f32")]] kernel decltype(ExpertMatvec<WeightF32>)
    ExpertMatvec<WeightF32>;
template [[host_name("expert_f16")]] kernel decltype(ExpertMatvec<WeightF16>)
    ExpertMatvec<WeightF16>;
template [[host_name("expert_bf16")]] kernel decltype(ExpertMatvec<WeightBF16>)
    ExpertMatvec<WeightBF16>;
template [[host_name("expert_q8_0")]] kernel decltype(ExpertMatvec<WeightQ8_0>)
    ExpertMatvec<WeightQ8_0>;
template [[host_name("expert_q4_0")]] kernel decltype(ExpertMatvec<WeightQ4_0>)
    ExpertMatvec<WeightQ4_0>;
template [[host_name("expert_q4_k")]] kernel decltype(ExpertMatvec<WeightQ4_K>)
    ExpertMatvec<WeightQ4_K>;
template [[host_name("expert_q6_k")]] kernel decltype(ExpertMatvec<WeightQ6_K>)
    ExpertMatvec<WeightQ6_K>;

// A NaN counts as larger than every number.
inline bool IsLarger(float a, float b) { return IsNan(a) ? !IsNan(b) : a > b; }

// One thread per row keeps the k largest elements so far in descending order, of equal ones the
// first first.
kernel void top_k_f32(constant TopKArgs& p [[buffer(0)]], device const float* x [[buffer(1)]],
                      device int* ids [[buffer(2)]], device float* values [[buffer(3)]],
                      uint row [[thread_position_in_grid]]) {
  if (row >= p.rows) return;
  device const float* from = x + ulong(row) * p.columns;
  device int* to_ids = ids + ulong(row) * p.k;
  device float* to = values + ulong(row) * p.k;
  uint taken = 0;
  for (uint i = 0; i < p.columns; ++i) {
    const float value = from[i];
    if (taken == p.k && !IsLarger(value, to[p.k - 1])) continue;
    uint at = taken < p.k ? taken : p.k - 1;
    if (taken < p.k) ++taken;
    for (; at > 0 && IsLarger(value, to[at - 1]); --at) {
      to_ids[at] = to_ids[at - 1];
      to[at] = to[at - 1];
    }
    to_ids[at] = int(i);
    to[at] = value;
  }
  if (p.normed == 0) return;
  float sum = 0.0f;
  for (uint i = 0; i < p.k; ++i) sum += to[i];
  for (uint i = 0; i < p.k; ++i) to[i] = to[i] / sum;
}

// One thread per element of the result.
kernel void combine_f32(constant CombineArgs& p [[buffer(0)]], device const float* x [[buffer(1)]],
                        device const float* weights [[buffer(2)]], device float* out [[buffer(3)]],
                        uint2 at [[thread_position_in_grid]]) {
  const uint column = at.x, row = at.y;
  if (column >= p.columns || row >= p.rows) return;
  float sum = 0.0f;
  for (uint i = 0; i < p.parts; ++i) {
    const ulong place = ulong(row) * p.parts + i;
    sum += weights[place] * x[place * p.columns + column];
  }
  out[ulong(row) * p.columns + column] = sum;
}
