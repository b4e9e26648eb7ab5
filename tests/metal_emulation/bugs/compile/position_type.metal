// SPDX-License-Identifier: Apache-2.0
#include <metal_stdlib>
using namespace metal;

kernel void k(device float* out [[buffer(0)]],
              int i [[thread_position_in_grid]]) {  // expect: 'i' must be a ushort, a uint, or
  out[i] = 1.0f;
}
