// SPDX-License-Identifier: Apache-2.0
#include <metal_stdlib>
using namespace metal;

kernel void k(device float* out [[buffer(31)]]) { out[0] = 0.0f; }  // expect: from 0 to 30
