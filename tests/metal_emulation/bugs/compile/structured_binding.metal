// SPDX-License-Identifier: Apache-2.0
#include <metal_stdlib>
using namespace metal;

struct Pair {
  int a, b;
};

kernel void k(device int* out [[buffer(0)]]) {
  Pair pair = {1, 2};
  auto [a, b] = pair;  // expect: structured bindings
  out[0] = a + b;
}
