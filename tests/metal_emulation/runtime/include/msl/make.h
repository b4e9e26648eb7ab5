// SPDX-License-Identifier: Apache-2.0
//
// Constructors of vectors. The generator writes msl_make<float4>( for float4(.
#pragma once

#include <bit>
#include <type_traits>

#include "msl/types.h"

namespace metal {

template <class V, class A>
inline void msl_put(V& vector, int& at, A value) {
  using E = msl_element<V>;
  if constexpr (msl_count<A> == 1) {
    vector[at++] = static_cast<E>(value);
  } else {
    for (int i = 0; i < msl_count<A>; ++i) vector[at++] = static_cast<E>(value[i]);
  }
}

template <class V, class... A>
inline V msl_make(A... values) {
  if constexpr (sizeof...(A) == 0) {
    return V(0);
  } else if constexpr (sizeof...(A) == 1 && ((msl_count<A> == 1) && ...)) {
    return V(static_cast<msl_element<V>>((values, ...)));
  } else {
    static_assert((msl_count<A> + ...) == msl_count<V>, "wrong number of vector components");
    V vector;
    int at = 0;
    (msl_put(vector, at, values), ...);
    return vector;
  }
}

template <class V, class T>
inline V msl_make(msl_packed3<T> packed) {
  return msl_make<V>(packed.x, packed.y, packed.z);
}
#ifdef MSL_CHECK
template <class V, class T>
inline V msl_make(MSL_DEVICE const msl_packed3<T>& packed) {
  return msl_make<V>(packed.x, packed.y, packed.z);
}
template <class V, class T>
inline V msl_make(MSL_THREADGROUP const msl_packed3<T>& packed) {
  return msl_make<V>(packed.x, packed.y, packed.z);
}
#endif

template <class To, class From>
inline To as_type(From value) {
  static_assert(sizeof(To) == sizeof(From), "as_type between sizes that differ");
  return std::bit_cast<To>(value);
}

}  // namespace metal

using metal::as_type;
