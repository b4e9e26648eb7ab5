// SPDX-License-Identifier: Apache-2.0
#include <metal_stdlib>
using namespace metal;

uint Factorial(uint n) { return n < 2 ? 1 : n * Factorial(n - 1); }  // expect: recursion

kernel void k(device uint* out [[buffer(0)]]) { out[0] = Factorial(5); }
