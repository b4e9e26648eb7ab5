// SPDX-License-Identifier: Apache-2.0
//
// Address spaces, scalar and vector types.
#pragma once

#include <cfloat>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "tests/metal_emulation/runtime/group.h"

#ifdef MSL_CHECK
// Spaces that do not convert into each other, so that every pointer that crosses them is an error.
#define MSL_DEVICE __attribute__((address_space(1)))
#define MSL_CONSTANT const __attribute__((address_space(2)))
#define MSL_THREADGROUP __attribute__((address_space(3)))
#define MSL_THREADGROUP_VARIABLE(name, dimensions, ...) \
  static MSL_THREADGROUP __VA_ARGS__ name dimensions
// Declared only: a value that is known would be folded into the code.
#define MSL_FUNCTION_CONSTANT(type, name) \
  extern const type name;                 \
  extern const bool name##_defined
#else
#define MSL_DEVICE
#define MSL_CONSTANT const
#define MSL_THREADGROUP
// One object for all threads of a group. The lambda's static is an address of its own for each
// declaration, and for each instance of a template.
#define MSL_THREADGROUP_VARIABLE(name, dimensions, ...)                          \
  using msl_type_of_##name = __VA_ARGS__ dimensions;                             \
  msl_type_of_##name& name =                                                     \
      *static_cast<msl_type_of_##name*>(::infer::emulation::ThreadgroupVariable( \
          [] {                                                                   \
            static char key;                                                     \
            return &key;                                                         \
          }(),                                                                   \
          #name, sizeof(msl_type_of_##name), ::infer::emulation::Site::Here()))
#define MSL_FUNCTION_CONSTANT(type, name) \
  static type name;                       \
  static bool name##_defined = false
#endif
// Apple's compiler takes it at any level; clang's check for newer syntax is silent about macros of
// system headers.
#define MSL_IF_CONSTEXPR constexpr

typedef unsigned char uchar;
typedef unsigned short ushort;
typedef unsigned int uint;
typedef unsigned long ulong;
typedef _Float16 half;
typedef __bf16 bfloat;

// Packed vectors of 3 are no vectors for clang, whose vectors of 3 take the place of 4.
template <class T>
struct msl_packed3 {
  T x, y, z;
};

#define MSL_VECTORS(T)                                                             \
  typedef T T##2 __attribute__((ext_vector_type(2)));                              \
  typedef T T##3 __attribute__((ext_vector_type(3)));                              \
  typedef T T##4 __attribute__((ext_vector_type(4)));                              \
  typedef T packed_##T##2 __attribute__((ext_vector_type(2), aligned(sizeof(T)))); \
  typedef msl_packed3<T> packed_##T##3;                                            \
  typedef T packed_##T##4 __attribute__((ext_vector_type(4), aligned(sizeof(T))));
MSL_VECTORS(float)
MSL_VECTORS(half)
MSL_VECTORS(bfloat)
MSL_VECTORS(char)
MSL_VECTORS(uchar)
MSL_VECTORS(short)
MSL_VECTORS(ushort)
MSL_VECTORS(int)
MSL_VECTORS(uint)
MSL_VECTORS(long)
MSL_VECTORS(ulong)
#undef MSL_VECTORS
typedef bool bool2 __attribute__((ext_vector_type(2)));
typedef bool bool3 __attribute__((ext_vector_type(3)));
typedef bool bool4 __attribute__((ext_vector_type(4)));

#define MAXFLOAT FLT_MAX
#define HALF_MAX (half)65504.0f
#define MAXHALF HALF_MAX
#define HALF_MIN (half)6.103515625e-05f
#define M_PI_F 3.14159265358979323846f
#define M_PI_2_F 1.57079632679489661923f
#define M_1_PI_F 0.318309886183790671538f
#define M_2_SQRTPI_F 1.12837916709551257390f
#define M_SQRT2_F 1.41421356237309504880f
#define M_SQRT1_2_F 0.707106781186547524401f
#define M_LOG2E_F 1.44269504088896340736f
#define M_LN2_F 0.693147180559945309417f
#define M_E_F 2.71828182845904523536f

namespace metal {

using std::int16_t;
using std::int32_t;
using std::int64_t;
using std::int8_t;
using std::size_t;
using std::uint16_t;
using std::uint32_t;
using std::uint64_t;
using std::uint8_t;

template <class T, int N>
using vec = T __attribute__((ext_vector_type(N)));

template <class T>
T msl_value_of(T value);

// Element and number of elements of a scalar or vector.
template <class V>
struct msl_shape {
  using Element = V;
  static constexpr int kCount = 1;
};
template <class E, int N>
struct msl_shape<E __attribute__((ext_vector_type(N)))> {
  using Element = E;
  static constexpr int kCount = N;
};
// What a pointer leads to, without const and address space.
template <class P>
using msl_pointee = std::remove_cvref_t<decltype(msl_value_of(P()[0]))>;

template <class V>
using msl_element = typename msl_shape<V>::Element;
template <class V>
inline constexpr int msl_count = msl_shape<V>::kCount;

}  // namespace metal
