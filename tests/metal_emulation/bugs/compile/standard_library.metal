// SPDX-License-Identifier: Apache-2.0
#include <metal_stdlib>
using namespace metal;

kernel void k(device float* out [[buffer(0)]]) {
  out[0] = std::max(out[0], 0.0f);  // expect: standard library
}
