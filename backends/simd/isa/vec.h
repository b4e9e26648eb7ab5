// SPDX-License-Identifier: Apache-2.0
//
// The thin vector header: floats of a level's native width under the same names at every level, so
// that code using them is written once. Only for files that are compiled for a level. Everything is
// static and in the level's namespace: nothing may be shared with another level.
#pragma once

#include <cstdint>

#if defined(__AVX512F__)
#include "backends/simd/isa/vec_avx512.h"
#elif defined(__AVX2__)
#include "backends/simd/isa/vec_avx2.h"
#else
#include "backends/simd/isa/vec_neon.h"
#endif

namespace infer::simd::INFER_SIMD_LEVEL {

// Interpolates (e^r - 1 - r) / r^2 at the Chebyshev nodes of [-ln 2 / 2, ln 2 / 2].
// Evaluated in pairs: the dependency chain limits the speed, because not enough independent ones
// fit into the CPU's reorder window.
static inline Floats ExpOfFraction(Floats r) {
  const Floats square = Mul(r, r);
  const Floats low = Fma(Broadcast(0.16666573286056519f), r, Broadcast(0.5f));
  Floats high = Fma(Broadcast(0.008363774046301842f), r, Broadcast(0.04166654869914055f));
  high = Fma(Broadcast(0.0013926926767453551f), square, high);
  return Fma(square, Fma(high, square, low), Add(r, Broadcast(1.0f)));
}

// Returns e^x, within 1.4 units in the last place in the normal range; smaller results are rounded
// once more, results beyond the largest float are infinite, NaN stays NaN.
static inline Floats Exp(Floats x) {
  // As floats, e^89 is infinite and e^-104 is zero; between them the power of two stays in range.
  x = Min(Broadcast(89.0f), Max(Broadcast(-104.0f), x));
  Ints power;
  const Floats n = Whole(x, 0x1.715476p+0f, &power);  // 1 / ln 2
  // ln 2 in two parts.
  Floats r = Fma(n, Broadcast(-0x1.62e430p-1f), x);
  r = Fma(n, Broadcast(0x1.05c610p-29f), r);
  return ScaleByPower(ExpOfFraction(r), power);
}

// Returns 2^x for x <= 0 or NaN, to the same accuracy; zero below 2^-149.
static inline Floats Exp2(Floats x) {
  x = Max(Broadcast(-150.0f), x);
  Ints power;
  const Floats n = Whole(x, 1.0f, &power);
  const Floats r = Mul(Sub(x, n), Broadcast(0x1.62e430p-1f));  // ln 2
  return ScaleByPower(ExpOfFraction(r), power);
}

// Returns x / (1 + e^-x), without a sum that overflows.
static inline Floats Silu(Floats x) {
  const Floats e = Exp(Sub(Broadcast(0.0f), Abs(x)));
  return Div(SelectNegative(x, Mul(x, e), x), Add(Broadcast(1.0f), e));
}

// Computes sine and cosine of angles up to 2^20 in absolute value, each to within 2^-23.
static inline void SinCos(Floats x, Floats* sine, Floats* cosine) {
  Ints quadrant;
  const Floats n = Whole(x, 0x1.45f306p-1f, &quadrant);  // 2 / pi
  // pi / 2 in three parts; each fused step rounds a number below 1 once.
  Floats r = Fma(n, Broadcast(-0x1.921fb6p+0f), x);
  r = Fma(n, Broadcast(0x1.777a5cp-25f), r);
  r = Fma(n, Broadcast(0x1.ee59dap-50f), r);
  const Floats z = Mul(r, r);
  Floats s = Broadcast(2.714448328333674e-06f);
  s = Fma(s, z, Broadcast(-0.00019839132437482476f));
  s = Fma(s, z, Broadcast(0.008333330042660236f));
  s = Fma(s, z, Broadcast(-0.1666666716337204f));
  s = Fma(Mul(s, z), r, r);
  Floats c = Broadcast(-2.721292844398704e-07f);
  c = Fma(c, z, Broadcast(2.479980503267143e-05f));
  c = Fma(c, z, Broadcast(-0.0013888885732740164f));
  c = Fma(c, z, Broadcast(0.0416666679084301f));
  c = Fma(Mul(c, z), z, Fma(z, Broadcast(-0.5f), Broadcast(1.0f)));
  *sine = NegateIfBit1(SelectOdd(quadrant, c, s), quadrant);
  *cosine = NegateIfBit1(SelectOdd(quadrant, s, c), AddInts(quadrant, 1));
}

}  // namespace infer::simd::INFER_SIMD_LEVEL
