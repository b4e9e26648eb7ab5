// SPDX-License-Identifier: Apache-2.0
#include <metal_stdlib>
using namespace metal;

kernel void k(device float* out,  // expect: exactly one attribute
              uint i [[thread_position_in_grid]]) {
  out[i] = 0.0f;
}
