// SPDX-License-Identifier: Apache-2.0
#include <metal_stdlib>
using namespace metal;

kernel void k(device atomic_uint* out [[buffer(0)]]) {
  atomic_store_explicit(out, 1u, memory_order_release);  // expect: is Metal 3.2
}
