// SPDX-License-Identifier: Apache-2.0
#include <metal_stdlib>
using namespace metal;

kernel void k(device float* out [[buffer(0)]], uint i [[thread_index_in_threadgroup]]) {
  threadgroup float a[32], b[32];  // expect: one threadgroup variable at a time
  a[i] = b[i] = 0.0f;
  out[i] = a[i];
}
