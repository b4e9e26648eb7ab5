// SPDX-License-Identifier: Apache-2.0
#include <metal_stdlib>
using namespace metal;

bool IsOdd(uint n);
bool IsEven(uint n) { return n == 0 || IsOdd(n - 1); }  // expect: recursion
bool IsOdd(uint n) { return n != 0 && IsEven(n - 1); }

kernel void k(device bool* out [[buffer(0)]]) { out[0] = IsEven(4); }
