// SPDX-License-Identifier: Apache-2.0
#include <metal_stdlib>
using namespace metal;

struct Args {
  uint count;
};

kernel void k(constant Args& args [[buffer(0)]]) {
  args.count = 1;  // expect: cannot assign
}
