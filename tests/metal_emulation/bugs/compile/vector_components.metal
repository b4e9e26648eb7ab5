// SPDX-License-Identifier: Apache-2.0
#include <metal_stdlib>
using namespace metal;

kernel void k(device float4* out [[buffer(0)]]) {
  out[0] = float4(1.0f, 2.0f, 3.0f);  // expect: wrong number of vector components
}
