// SPDX-License-Identifier: Apache-2.0
#include <metal_stdlib>
using namespace metal;

template <typename T>
kernel void k(device T* out [[buffer(0)]]) {
  out[0] = T(0);
}
template [[host_name("k_float")]] kernel decltype(kk<float>) kk<float>;  // expect: not known here
