// SPDX-License-Identifier: Apache-2.0
//
// Accesses outside of what a kernel may touch.
#include <metal_stdlib>
using namespace metal;

kernel void store_far_beyond(device float* out [[buffer(0)]], device const float* in [[buffer(1)]],
                             uint i [[thread_index_in_threadgroup]]) {
  out[i * 64] = in[i];
}

// Its result has room for one value less than there are threads.
kernel void store_just_beyond(device float* out [[buffer(0)]],
                              device const float* in [[buffer(1)]],
                              uint i [[thread_index_in_threadgroup]]) {
  out[i] = in[i];
}

kernel void load_just_beyond(device float* out [[buffer(0)]], device const float* in [[buffer(1)]],
                             uint i [[thread_index_in_threadgroup]]) {
  out[i] = in[i + 1];
}

kernel void load_beyond(device float* out [[buffer(0)]], device const float* in [[buffer(1)]],
                        uint i [[thread_index_in_threadgroup]]) {
  out[i] = in[i * 64];
}

kernel void load_before(device float* out [[buffer(0)]], device const float* in [[buffer(1)]],
                        uint i [[thread_index_in_threadgroup]]) {
  out[i] = in[int(i) - 2000];
}

kernel void threadgroup_store_beyond(device float* out [[buffer(0)]],
                                     device const float* in [[buffer(1)]],
                                     uint i [[thread_index_in_threadgroup]]) {
  threadgroup float values[64];
  values[i + 1] = in[i];
  threadgroup_barrier(mem_flags::mem_threadgroup);
  out[i] = i == 0 ? 0.0f : values[i];
}

kernel void threadgroup_memory_nobody_wrote(device float* out [[buffer(0)]],
                                            device const float* in [[buffer(1)]],
                                            uint i [[thread_index_in_threadgroup]]) {
  threadgroup float values[64];
  if (i > 0) values[i] = in[i];
  threadgroup_barrier(mem_flags::mem_threadgroup);
  out[i] = values[0] + values[i];
}

kernel void too_much_threadgroup_memory(device float* out [[buffer(0)]],
                                        device const float* in [[buffer(1)]],
                                        uint i [[thread_index_in_threadgroup]]) {
  threadgroup float a[64][64];
  threadgroup float b[64][65];
  a[i][0] = in[i];
  b[i][0] = in[i];
  out[i] = a[i][0] + b[i][0];
}

kernel void result_nobody_wrote(device float* out [[buffer(0)]],
                                device const float* in [[buffer(1)]],
                                uint i [[thread_index_in_threadgroup]]) {
  if (i != 5) out[i] = in[i];
}

// The second half of the first vector and the first half of the second.
kernel void misaligned_vector(device float* out [[buffer(0)]], device const float* in [[buffer(1)]],
                              uint i [[thread_index_in_threadgroup]]) {
  device const float4* vectors = (device const float4*)(in + 2);
  const float4 four = vectors[i / 8];
  out[i] = four.x + four.w;
}
