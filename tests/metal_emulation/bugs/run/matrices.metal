// SPDX-License-Identifier: Apache-2.0
//
// Missing barriers between simdgroups that work alike: in lockstep nothing is wrong.
#include <metal_stdlib>
#include <metal_simdgroup_matrix>
using namespace metal;

// The product of a tile with itself, twice. A simdgroup that runs ahead overwrites its half of the
// tile while the other still reads it.
kernel void no_second_barrier_of_matrices(device float* out [[buffer(0)]],
                                          device const float* in [[buffer(1)]],
                                          uint i [[thread_index_in_threadgroup]],
                                          uint simd [[simdgroup_index_in_threadgroup]]) {
  threadgroup float tile[64];
  simdgroup_float8x8 sum = make_filled_simdgroup_matrix<float, 8>(0.0f);
  for (uint round = 0; round < 2; ++round) {
    tile[i] = in[i] + float(round);
    threadgroup_barrier(mem_flags::mem_threadgroup);
    simdgroup_float8x8 part;
    simdgroup_load(part, tile, 8);
    simdgroup_multiply_accumulate(sum, part, part, sum);
  }
  if (simd == 0) simdgroup_store(sum, out, 8);
}

// The sum of the group, from the sums of its simdgroups, twice.
kernel void no_barrier_between_sums(device float* out [[buffer(0)]],
                                    device const float* in [[buffer(1)]],
                                    uint i [[thread_index_in_threadgroup]],
                                    uint lane [[thread_index_in_simdgroup]],
                                    uint simd [[simdgroup_index_in_threadgroup]]) {
  threadgroup float parts[2];
  float total = 0.0f;
  for (uint round = 0; round < 2; ++round) {
    const float part = simd_sum(in[i] + float(round));
    if (lane == 0) parts[simd] = part;
    threadgroup_barrier(mem_flags::mem_threadgroup);
    total += simd_sum(lane < 2 ? parts[lane] : 0.0f);
  }
  out[i] = total;
}
