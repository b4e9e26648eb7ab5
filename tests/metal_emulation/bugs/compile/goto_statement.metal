// SPDX-License-Identifier: Apache-2.0
#include <metal_stdlib>
using namespace metal;

kernel void k(device float* out [[buffer(0)]]) {
  out[0] = 0.0f;
  goto end;  // expect: goto is not supported
end:
  out[1] = 0.0f;
}
