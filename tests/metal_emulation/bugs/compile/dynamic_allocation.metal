// SPDX-License-Identifier: Apache-2.0
#include <metal_stdlib>
using namespace metal;

kernel void k(device float* out [[buffer(0)]]) {
  thread float* sums = new float[4];  // expect: dynamic allocation
  out[0] = sums[0];
}
