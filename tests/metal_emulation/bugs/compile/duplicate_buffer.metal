// SPDX-License-Identifier: Apache-2.0
#include <metal_stdlib>
using namespace metal;

kernel void k(device float* out [[buffer(0)]],
              device const float* in [[buffer(0)]]) {  // expect: duplicate buffer index 0
  out[0] = in[0];
}
