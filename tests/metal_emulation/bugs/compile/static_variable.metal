// SPDX-License-Identifier: Apache-2.0
#include <metal_stdlib>
using namespace metal;

kernel void k(device int* out [[buffer(0)]]) {
  static int calls = 0;  // expect: static variables in a function
  out[0] = ++calls;
}
