// SPDX-License-Identifier: Apache-2.0
//
// Operations of a simdgroup that not all of its lanes come to.
#include <metal_stdlib>
using namespace metal;

kernel void simd_sum_of_half(device float* out [[buffer(0)]], device const float* in [[buffer(1)]],
                             uint i [[thread_index_in_threadgroup]],
                             ushort lane [[thread_index_in_simdgroup]]) {
  out[i] = 0.0f;
  if (lane < 16) out[i] = simd_sum(in[i]);
}

kernel void simd_sums_in_both_branches(device float* out [[buffer(0)]],
                                       device const float* in [[buffer(1)]],
                                       uint i [[thread_index_in_threadgroup]]) {
  if (in[i] < 8.0f) {
    out[i] = simd_sum(in[i]);
  } else {
    out[i] = -simd_sum(in[i]);
  }
}

kernel void different_operations(device float* out [[buffer(0)]],
                                 device const float* in [[buffer(1)]],
                                 uint i [[thread_index_in_threadgroup]]) {
  out[i] = i % 2 == 0 ? simd_sum(in[i]) : simd_max(in[i]);
}

kernel void lane_returned(device float* out [[buffer(0)]], device const float* in [[buffer(1)]],
                          uint i [[thread_index_in_threadgroup]]) {
  if (i >= 60) return;
  out[i] = simd_sum(in[i]);
}

// The value that a lane hands to its neighbours through threadgroup memory.
kernel void no_simdgroup_barrier(device float* out [[buffer(0)]],
                                 device const float* in [[buffer(1)]],
                                 uint i [[thread_index_in_threadgroup]],
                                 ushort lane [[thread_index_in_simdgroup]]) {
  threadgroup float values[64];
  values[i] = in[i];
  out[i] = values[i - lane + 31 - lane];
}

kernel void matrix_nobody_set(device float* out [[buffer(0)]], device const float* in [[buffer(1)]]) {
  simdgroup_float8x8 left, right, sum;
  simdgroup_load(left, in, 8);
  simdgroup_load(right, in, 8);
  simdgroup_multiply_accumulate(sum, left, right, sum);
  simdgroup_store(sum, out, 8);
}

kernel void matrix_product(device float* out [[buffer(0)]], device const float* in [[buffer(1)]]) {
  simdgroup_float8x8 left, right, product;
  simdgroup_load(left, in, 8);
  simdgroup_load(right, in, 8);
  simdgroup_multiply(product, left, right);
  simdgroup_store(product, out, 8);
}
