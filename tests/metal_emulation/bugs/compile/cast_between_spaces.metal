// SPDX-License-Identifier: Apache-2.0
#include <metal_stdlib>
using namespace metal;

float First(threadgroup const float* values) { return values[0]; }

kernel void k(device float* out [[buffer(0)]], device const float* in [[buffer(1)]]) {
  out[0] = First(in);  // expect: no matching function
}
