// SPDX-License-Identifier: Apache-2.0
#include <metal_stdlib>
using namespace metal;

float Sum(float value, uint i) {
  threadgroup float values[32];  // expect: only in a kernel
  values[i] = value;
  threadgroup_barrier(mem_flags::mem_threadgroup);
  return values[0];
}

kernel void k(device float* out [[buffer(0)]], uint i [[thread_index_in_threadgroup]]) {
  out[i] = Sum(1.0f, i);
}
