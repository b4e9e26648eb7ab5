// SPDX-License-Identifier: Apache-2.0
#include <metal_stdlib>
using namespace metal;

struct Pair {
  float a, b;
};
void Swap(Pair& pair) {  // expect: without an address space
  const float a = pair.a;
  pair.a = pair.b;
  pair.b = a;
}

kernel void k(device float* out [[buffer(0)]]) {
  Pair pair = {1.0f, 2.0f};
  Swap(pair);
  out[0] = pair.a;
}
