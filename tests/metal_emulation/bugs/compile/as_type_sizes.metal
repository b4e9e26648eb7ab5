// SPDX-License-Identifier: Apache-2.0
#include <metal_stdlib>
using namespace metal;

kernel void k(device uint* out [[buffer(0)]]) {
  out[0] = as_type<uint>(half(1.0h));  // expect: as_type between sizes that differ
}
