// SPDX-License-Identifier: Apache-2.0
//
// rms_norm, add_rms_norm and row_sum_squares: one group per row.
#include <metal_stdlib>
using namespace metal;

#include "args.h"
using namespace infer::shader;

#include "reduce.h"

kernel void row_sum_squares_f32(constant RowArgs& p [[buffer(0)]],
                                device const float* x [[buffer(1)]],
                                device float* out [[buffer(2)]],
                                uint row [[threadgroup_position_in_grid]],
                                uint thread_index [[thread_index_in_threadgroup]],
                                uint threads [[threads_per_threadgroup]],
                                ushort lane [[thread_index_in_simdgroup]],
                                ushort simd [[simdgroup_index_in_threadgroup]],
                                ushort simds [[simdgroups_per_threadgroup]]) {
  threadgroup float parts[32];
  device const float* from = x + ulong(row) * p.columns;
  float sum = 0.0f;
  for (uint i = thread_index; i < p.columns; i += threads) sum += from[i] * from[i];
  sum = GroupSum(sum, parts, lane, simd, simds);
  if (thread_index == 0) out[row] = sum;
}

// The result may be the memory of x: a thread writes only elements that it alone reads.
kernel void rms_norm_f32(constant RowArgs& p [[buffer(0)]], device const float* x [[buffer(1)]],
                         device const float* weight [[buffer(2)]], device float* out [[buffer(3)]],
                         uint row [[threadgroup_position_in_grid]],
                         uint thread_index [[thread_index_in_threadgroup]],
                         uint threads [[threads_per_threadgroup]],
                         ushort lane [[thread_index_in_simdgroup]],
                         ushort simd [[simdgroup_index_in_threadgroup]],
                         ushort simds [[simdgroups_per_threadgroup]]) {
  threadgroup float parts[32];
  device const float* from = x + ulong(row) * p.columns;
  float sum = 0.0f;
  for (uint i = thread_index; i < p.columns; i += threads) sum += from[i] * from[i];
  sum = GroupSum(sum, parts, lane, simd, simds);
  const float inverse = precise::rsqrt(sum / float(p.columns) + p.eps);
  device float* to = out + ulong(row) * p.columns;
  for (uint i = thread_index; i < p.columns; i += threads) to[i] = from[i] * inverse * weight[i];
}

kernel void add_rms_norm_f32(constant RowArgs& p [[buffer(0)]], device const float* x [[buffer(1)]],
                             device const float* y [[buffer(2)]],
                             device const float* weight [[buffer(3)]],
                             device float* sums [[buffer(4)]], device float* out [[buffer(5)]],
                             uint row [[threadgroup_position_in_grid]],
                             uint thread_index [[thread_index_in_threadgroup]],
                             uint threads [[threads_per_threadgroup]],
                             ushort lane [[thread_index_in_simdgroup]],
                             ushort simd [[simdgroup_index_in_threadgroup]],
                             ushort simds [[simdgroups_per_threadgroup]]) {
  threadgroup float parts[32];
  const ulong at = ulong(row) * p.columns;
  float sum = 0.0f;
  for (uint i = thread_index; i < p.columns; i += threads) {
    const float both = x[at + i] + y[at + i];
    sums[at + i] = both;
    sum += both * both;
  }
  sum = GroupSum(sum, parts, lane, simd, simds);
  const float inverse = precise::rsqrt(sum / float(p.columns) + p.eps);
  for (uint i = thread_index; i < p.columns; i += threads) {
    out[at + i] = sums[at + i] * inverse * weight[i];
  }
}
