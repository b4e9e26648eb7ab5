// SPDX-License-Identifier: Apache-2.0
#include <metal_stdlib>
using namespace metal;

kernel void k(device float* out [[buffer(0)]],
              uint i [[thread_position_in_the_grid]]) {  // expect: is not supported
  out[i] = 0.0f;
}
