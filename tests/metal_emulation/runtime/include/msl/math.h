// SPDX-License-Identifier: Apache-2.0
//
// Functions of real numbers, computed in float whatever the argument: an M1 does so for half too.
#pragma once

#include <cmath>

#include "msl/common.h"

namespace metal {

#define MSL_FUNCTION1(name, expression)                           \
  template <class V>                                              \
  inline V name(V value) {                                        \
    return msl_map<V>([](float x) { return expression; }, value); \
  }
#define MSL_FUNCTION2(name, expression)                                                  \
  template <class A, class B>                                                            \
  inline msl_common<A, B> name(A a, B b) {                                               \
    return msl_map<msl_common<A, B>>([](float x, float y) { return expression; }, a, b); \
  }
MSL_FUNCTION1(exp, std::exp(x))
MSL_FUNCTION1(exp2, std::exp2(x))
MSL_FUNCTION1(exp10, std::pow(10.0f, x))
MSL_FUNCTION1(log, std::log(x))
MSL_FUNCTION1(log2, std::log2(x))
MSL_FUNCTION1(log10, std::log10(x))
MSL_FUNCTION1(sqrt, std::sqrt(x))
MSL_FUNCTION1(rsqrt, 1.0f / std::sqrt(x))
MSL_FUNCTION1(sin, std::sin(x))
MSL_FUNCTION1(cos, std::cos(x))
MSL_FUNCTION1(tan, std::tan(x))
MSL_FUNCTION1(asin, std::asin(x))
MSL_FUNCTION1(acos, std::acos(x))
MSL_FUNCTION1(atan, std::atan(x))
MSL_FUNCTION1(sinh, std::sinh(x))
MSL_FUNCTION1(cosh, std::cosh(x))
MSL_FUNCTION1(tanh, std::tanh(x))
MSL_FUNCTION1(erf, std::erf(x))
MSL_FUNCTION1(fabs, std::fabs(x))
MSL_FUNCTION1(floor, std::floor(x))
MSL_FUNCTION1(ceil, std::ceil(x))
MSL_FUNCTION1(round, std::round(x))
MSL_FUNCTION1(rint, std::rint(x))
MSL_FUNCTION1(trunc, std::trunc(x))
MSL_FUNCTION1(fract, x - std::floor(x))
MSL_FUNCTION2(pow, std::pow(x, y))
MSL_FUNCTION2(powr, std::pow(x, y))
MSL_FUNCTION2(fmod, std::fmod(x, y))
MSL_FUNCTION2(fmin, std::fmin(x, y))
MSL_FUNCTION2(fmax, std::fmax(x, y))
MSL_FUNCTION2(atan2, std::atan2(x, y))
MSL_FUNCTION2(copysign, std::copysign(x, y))
MSL_FUNCTION2(divide, x / y)
MSL_FUNCTION2(step, y < x ? 0.0f : 1.0f)
#undef MSL_FUNCTION1
#undef MSL_FUNCTION2

// In half the product is exact in float, so only the last rounding can differ from the GPU's.
template <class V>
inline V fma(V a, V b, V c) {
  return msl_map<V>([](float x, float y, float z) { return std::fma(x, y, z); }, a, b, c);
}
template <class T>
inline T ldexp(T value, int exponent) {
  return static_cast<T>(std::ldexp(static_cast<float>(value), exponent));
}
template <class T>
inline T sincos(T value, T& cosine) {
  cosine = cos(value);
  return sin(value);
}
template <class V>
inline msl_element<V> length(V value) {
  return sqrt(dot(value, value));
}

inline bool isnan(float x) { return std::isnan(x); }
inline bool isinf(float x) { return std::isinf(x); }
inline bool isfinite(float x) { return std::isfinite(x); }

// The two give the same numbers here; how far Apple's fast ones are off is not modelled.
#define MSL_VARIANTS                                                                               \
  using metal::cos, metal::exp, metal::exp10, metal::exp2, metal::fma, metal::log, metal::log10,   \
      metal::log2, metal::pow, metal::powr, metal::rsqrt, metal::sin, metal::sincos, metal::sqrt,  \
      metal::tan, metal::tanh, metal::divide, metal::fmin, metal::fmax, metal::fabs, metal::floor, \
      metal::ceil, metal::round, metal::rint, metal::trunc;
namespace precise {
MSL_VARIANTS
}
namespace fast {
MSL_VARIANTS
}
#undef MSL_VARIANTS

}  // namespace metal
