// SPDX-License-Identifier: Apache-2.0
#include <metal_stdlib>
using namespace metal;

constant int kWidth [[function_constant(0)]];
constant int kHalfWidth = kWidth / 2;  // expect: compute it in the kernel

kernel void k(device int* out [[buffer(0)]]) { out[0] = kHalfWidth; }
