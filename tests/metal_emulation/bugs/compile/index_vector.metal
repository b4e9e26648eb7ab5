// SPDX-License-Identifier: Apache-2.0
#include <metal_stdlib>
using namespace metal;

kernel void k(device float* out [[buffer(0)]],
              uint2 i [[thread_index_in_threadgroup]]) {  // expect: 'i' is one number, not a vector
  out[i.x] = 1.0f;
}
