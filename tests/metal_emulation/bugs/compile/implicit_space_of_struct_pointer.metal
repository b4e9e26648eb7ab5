// SPDX-License-Identifier: Apache-2.0
#include <metal_stdlib>
using namespace metal;

struct Row {
  device const float* values;
};

kernel void k(device float* out [[buffer(0)]], threadgroup float* in [[threadgroup(0)]]) {
  Row row = {in};  // expect: cannot initialize
  out[0] = row.values[0];
}
