// SPDX-License-Identifier: Apache-2.0
#include <metal_stdlib>
using namespace metal;

constant int kWidth [[function_constant(0)]];

kernel void k(device int* out [[buffer(0)]]) {
  kWidth = 2;  // expect: cannot assign
  out[0] = kWidth;
}
