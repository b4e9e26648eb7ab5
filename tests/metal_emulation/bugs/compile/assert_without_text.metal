// SPDX-License-Identifier: Apache-2.0
#include <metal_stdlib>
using namespace metal;

struct Block {
  half scale;
  char values[32];
};
static_assert(sizeof(Block) == 34);  // expect: before C++17

kernel void k(device Block* out [[buffer(0)]]) { out[0].values[0] = 1; }
