// SPDX-License-Identifier: Apache-2.0
// language: 3.0
#include <metal_stdlib>
using namespace metal;

kernel void k(device bfloat* out [[buffer(0)]]) {  // expect: 'bfloat' is Metal 3.1, the level is 3.0
  out[0] = bfloat(1.0f);
}
