// SPDX-License-Identifier: Apache-2.0
#include <metal_stdlib>
using namespace metal;

kernel void k(device atomic_ulong* out [[buffer(0)]]) {  // expect: atomics of 64 bits
  atomic_fetch_add_explicit(out, 1ul, memory_order_relaxed);
}
