// SPDX-License-Identifier: Apache-2.0
#include <metal_stdlib>
using namespace metal;

kernel void k(tensor<device half, dextents<int, 2>> a [[buffer(0)]]) {}  // expect: is Metal 4.0
