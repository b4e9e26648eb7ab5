// SPDX-License-Identifier: Apache-2.0
//
// Correct kernels that a host may use wrongly.
#include <metal_stdlib>
using namespace metal;

struct Args {
  uint count, factor;
};

constant int kFactor [[function_constant(0)]];
constant bool kNegate [[function_constant(1)]];

int Factor() { return kNegate ? -kFactor : kFactor; }

kernel void copy(device float* out [[buffer(0)]], device const float* in [[buffer(1)]],
                 uint i [[thread_position_in_grid]]) {
  out[i] = in[i];
}

kernel void scale(device float* out [[buffer(0)]], device const float* in [[buffer(1)]],
                  constant Args& args [[buffer(2)]], uint i [[thread_position_in_grid]]) {
  if (i < args.count) out[i] = in[i] * float(args.factor);
}

kernel void scale_by_constant(device float* out [[buffer(0)]],
                              device const float* in [[buffer(1)]],
                              uint i [[thread_position_in_grid]]) {
  out[i] = in[i] * float(Factor());
}

kernel void sum_of_group(device float* out [[buffer(0)]], device const float* in [[buffer(1)]],
                         threadgroup float* sums [[threadgroup(0)]],
                         uint i [[thread_position_in_grid]],
                         uint group [[threadgroup_position_in_grid]],
                         uint thread_index [[thread_index_in_threadgroup]],
                         uint simd [[simdgroup_index_in_threadgroup]],
                         uint simds [[simdgroups_per_threadgroup]]) {
  const float sum = simd_sum(in[i]);
  if (thread_index % 32 == 0) sums[simd] = sum;
  threadgroup_barrier(mem_flags::mem_threadgroup);
  if (thread_index > 0) return;
  float total = 0.0f;
  for (uint s = 0; s < simds; ++s) total += sums[s];
  out[group] = total;
}

[[max_total_threads_per_threadgroup(64)]] kernel void small_groups(
    device float4* out [[buffer(0)]], uint i [[thread_position_in_grid]]) {
  out[i] = float4(float(i));
}
