// SPDX-License-Identifier: Apache-2.0
#include <metal_stdlib>
using namespace metal;

kernel void k(device float* out [[buffer(0)]]) {
  double sum = 0;  // expect: Metal has no double
  out[0] = sum;
}
