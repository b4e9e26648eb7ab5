// SPDX-License-Identifier: Apache-2.0
#include <metal_stdlib>
using namespace metal;

constant int kA [[function_constant(3)]];
constant int kB [[function_constant(3)]];  // expect: duplicate function constant index 3

kernel void k(device int* out [[buffer(0)]]) { out[0] = kA + kB; }
