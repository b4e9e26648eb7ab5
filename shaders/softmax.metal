// SPDX-License-Identifier: Apache-2.0
//
// softmax and argmax: one group per row.
#include <metal_stdlib>
using namespace metal;

#include "args.h"
using namespace infer::shader;

#include "reduce.h"

// A row with nothing visible is all zeros; a NaN or +inf makes its whole row NaN. exp is recomputed
// instead of stored: the result may be the memory of x.
kernel void softmax_f32(constant RowArgs& p [[buffer(0)]], device const float* x [[buffer(1)]],
                        device float* out [[buffer(2)]],
                        uint row [[threadgroup_position_in_grid]],
                        uint thread_index [[thread_index_in_threadgroup]],
                        uint threads [[threads_per_threadgroup]],
                        ushort lane [[thread_index_in_simdgroup]],
                        ushort simd [[simdgroup_index_in_threadgroup]],
                        ushort simds [[simdgroups_per_threadgroup]]) {
  threadgroup float parts[32];
  device const float* from = x + ulong(row) * p.columns;
  float largest = -INFINITY;
  float visible = 0.0f;
  for (uint i = thread_index; i < p.columns; i += threads) {
    const float value = from[i];
    if (value > largest) largest = value;
    if (IsNan(value) || value != -INFINITY) visible = 1.0f;
  }
  largest = GroupMax(largest, parts, lane, simd, simds);
  visible = GroupMax(visible, parts, lane, simd, simds);
  float sum = 0.0f;
  for (uint i = thread_index; i < p.columns; i += threads) sum += precise::exp(from[i] - largest);
  sum = GroupSum(sum, parts, lane, simd, simds);
  device float* to = out + ulong(row) * p.columns;
  for (uint i = thread_index; i < p.columns; i += threads) {
    const float weight = precise::exp(from[i] - largest) / sum;
    to[i] = visible == 0.0f ? 0.0f : weight;
  }
}

// Whether element `i` with value `a` comes before element `j` with value `b`: the first of the
// largest wins, and a NaN counts as larger than every number.
inline bool Wins(float a, uint i, float b, uint j) {
  const bool a_nan = IsNan(a), b_nan = IsNan(b);
  if (a_nan != b_nan) return a_nan;
  if (!a_nan && a != b) return a > b;
  return i < j;
}

kernel void argmax_f32(constant RowArgs& p [[buffer(0)]], device const float* x [[buffer(1)]],
                       device int* index [[buffer(2)]], device float* probability [[buffer(3)]],
                       uint row [[threadgroup_position_in_grid]],
                       uint thread_index [[thread_index_in_threadgroup]],
                       uint threads [[threads_per_threadgroup]],
                       ushort lane [[thread_index_in_simdgroup]],
                       ushort simd [[simdgroup_index_in_threadgroup]],
                       ushort simds [[simdgroups_per_threadgroup]]) {
  threadgroup float parts[32];
  threadgroup uint places[32];
  device const float* from = x + ulong(row) * p.columns;
  uint best = 0;
  float value = from[0];
  for (uint i = thread_index; i < p.columns; i += threads) {
    if (Wins(from[i], i, value, best)) {
      value = from[i];
      best = i;
    }
  }
  for (ushort step = 16; step > 0; step /= 2) {
    const float other = simd_shuffle_xor(value, step);
    const uint place = simd_shuffle_xor(best, step);
    if (Wins(other, place, value, best)) {
      value = other;
      best = place;
    }
  }
  if (lane == 0) {
    parts[simd] = value;
    places[simd] = best;
  }
  threadgroup_barrier(mem_flags::mem_threadgroup);
  for (ushort i = 0; i < simds; ++i) {
    if (Wins(parts[i], places[i], value, best)) {
      value = parts[i];
      best = places[i];
    }
  }
  threadgroup_barrier(mem_flags::mem_threadgroup);
  float sum = 0.0f;
  for (uint i = thread_index; i < p.columns; i += threads) sum += precise::exp(from[i] - value);
  sum = GroupSum(sum, parts, lane, simd, simds);
  // The largest element's own term is exp(0) = 1.
  if (thread_index == 0) {
    index[row] = int(best);
    probability[row] = 1.0f / sum;
  }
}
