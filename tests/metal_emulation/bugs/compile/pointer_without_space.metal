// SPDX-License-Identifier: Apache-2.0
#include <metal_stdlib>
using namespace metal;

void Clear(float* values) { values[0] = 0.0f; }  // expect: without an address space

kernel void k(device float* out [[buffer(0)]]) {
  float local[4];
  Clear(local);
  out[0] = local[0];
}
