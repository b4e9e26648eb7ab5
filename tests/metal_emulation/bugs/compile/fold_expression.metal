// SPDX-License-Identifier: Apache-2.0
#include <metal_stdlib>
using namespace metal;

template <typename... T>
int Sum(T... values) {
  return (values + ...);  // expect: before C++17
}

kernel void k(device int* out [[buffer(0)]]) { out[0] = Sum(1, 2, 3); }
