// SPDX-License-Identifier: Apache-2.0
#include <metal_stdlib>
using namespace metal;

kernel void k(device float* out [[buffer(0)]], device const half* in [[buffer(1)]]) {
  simdgroup_float8x8 matrix;
  simdgroup_load(matrix, in, 8);  // expect: simdgroup_load from another type
  simdgroup_store(matrix, out, 8);
}
