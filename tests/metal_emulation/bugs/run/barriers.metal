// SPDX-License-Identifier: Apache-2.0
//
// Sums of neighbours through threadgroup memory, with one barrier missing or in the wrong place.
#include <metal_stdlib>
using namespace metal;

// Without the first barrier a thread reads what its neighbour has not written yet.
kernel void no_first_barrier(device float* out [[buffer(0)]],
                             device const float* in [[buffer(1)]],
                             uint i [[thread_index_in_threadgroup]]) {
  threadgroup float values[64];
  values[i] = in[i];
  out[i] = values[(i + 1) % 64] + values[(i + 63) % 64];
}

// Without the second one a thread overwrites what its neighbour has not read yet.
kernel void no_second_barrier(device float* out [[buffer(0)]],
                              device const float* in [[buffer(1)]],
                              uint i [[thread_index_in_threadgroup]]) {
  threadgroup float values[64];
  float sum = 0.0f;
  for (uint round = 0; round < 2; ++round) {
    values[i] = in[i] + round;
    threadgroup_barrier(mem_flags::mem_threadgroup);
    sum += values[(i + 1) % 64] + values[(i + 63) % 64];
  }
  out[i] = sum;
}

kernel void barriers_in_both_branches(device float* out [[buffer(0)]],
                                      device const float* in [[buffer(1)]],
                                      uint i [[thread_index_in_threadgroup]]) {
  if (i < 32) {
    out[i] = in[i];
    threadgroup_barrier(mem_flags::mem_device);
  } else {
    threadgroup_barrier(mem_flags::mem_device);
    out[i] = in[i - 32];
  }
}

kernel void barrier_in_one_branch(device float* out [[buffer(0)]],
                                  device const float* in [[buffer(1)]],
                                  uint i [[thread_index_in_threadgroup]]) {
  out[i] = in[i];
  if (i < 40) threadgroup_barrier(mem_flags::mem_device);
}

kernel void barrier_after_return(device float* out [[buffer(0)]],
                                 device const float* in [[buffer(1)]],
                                 uint i [[thread_index_in_threadgroup]]) {
  if (i == 63) return;
  threadgroup_barrier(mem_flags::mem_device);
  out[i] = in[i];
}

kernel void barrier_against_simd_sum(device float* out [[buffer(0)]],
                                     device const float* in [[buffer(1)]],
                                     uint i [[thread_index_in_threadgroup]]) {
  if (i % 2 == 0) {
    threadgroup_barrier(mem_flags::mem_device);
  } else {
    out[i] = simd_sum(in[i]);
  }
}
