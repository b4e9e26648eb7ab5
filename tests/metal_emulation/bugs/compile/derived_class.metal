// SPDX-License-Identifier: Apache-2.0
#include <metal_stdlib>
using namespace metal;

struct Base {
  float a;
};
struct Derived : Base {  // expect: derived classes
  float b;
};

kernel void k(device Derived* out [[buffer(0)]]) { out[0].b = out[0].a; }
