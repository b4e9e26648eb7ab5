// SPDX-License-Identifier: Apache-2.0
#include <metal_stdlib>
using namespace metal;

kernel void k(device float* out [[buffer(0)]]) {
  const auto square = [](float x) { return x * x; };  // expect: lambdas
  out[0] = square(2.0f);
}
