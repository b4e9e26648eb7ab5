// SPDX-License-Identifier: Apache-2.0
//
// Instructions in the order of the source. A Neoverse V1 begins four of these in a cycle only if
// most operands come straight from a load or another instruction: with operands that have waited
// in registers it is two. So a load stands next to its uses, and the compiler may not move it.
#pragma once

#include <arm_neon.h>

#include <cstddef>

namespace infer::simd::i8mm {
namespace {

template <int kOffset>
[[gnu::always_inline]] inline int8x16_t LoadBytes(const void* base) {
  int8x16_t v;
  asm volatile("ldr %q0, [%1, %2]" : "=w"(v) : "r"(base), "i"(kOffset) : "memory");
  return v;
}
template <int kOffset>
[[gnu::always_inline]] inline float32x4_t LoadFloats(const void* base) {
  return vreinterpretq_f32_s8(LoadBytes<kOffset>(base));
}
[[gnu::always_inline]] inline void Dot(int32x4_t& sum, int8x16_t a, int8x16_t b) {
  asm volatile("smmla %0.4s, %1.16b, %2.16b" : "+w"(sum) : "w"(a), "w"(b));
}
// sum += a * b
[[gnu::always_inline]] inline void Fma(float32x4_t& sum, float32x4_t a, float32x4_t b) {
  asm volatile("fmla %0.4s, %1.4s, %2.4s" : "+w"(sum) : "w"(a), "w"(b));
}

}  // namespace
}  // namespace infer::simd::i8mm
