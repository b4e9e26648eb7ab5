// SPDX-License-Identifier: Apache-2.0
#include <metal_stdlib>
using namespace metal;

kernel void k(device float* out [[buffer(0)]], uint i [[thread_position_in_grid]],
              uint2 size [[threads_per_threadgroup]]) {  // expect: 'size' has 2 components, 'i' has 1
  out[i] = float(size.x);
}
