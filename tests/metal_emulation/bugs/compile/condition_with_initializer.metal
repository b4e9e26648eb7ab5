// SPDX-License-Identifier: Apache-2.0
#include <metal_stdlib>
using namespace metal;

kernel void k(device int* out [[buffer(0)]]) {
  if (int value = out[1]; value > 0) out[0] = value;  // expect: before C++17
}
