// SPDX-License-Identifier: Apache-2.0
//
// Functions on numbers of any type: minimum, selection, bits. All take their arguments by value: in
// the check build a reference would not bind to an object of another address space.
#pragma once

#include <type_traits>

#include "msl/make.h"

namespace metal {

template <class A, class B>
using msl_common =
    std::conditional_t<(msl_count<A> > 1), A,
                       std::conditional_t<(msl_count<B> > 1), B, decltype(A() + B())>>;

// Calls `f` for each element of vectors or scalars, scalars repeated.
template <class R, class F, class... A>
inline R msl_map(F f, A... values) {
  if constexpr (msl_count<R> == 1) {
    return static_cast<R>(f(values...));
  } else {
    const auto at = [](auto value, int i) {
      if constexpr (msl_count<decltype(value)> == 1) {
        return static_cast<msl_element<R>>(value);
      } else {
        return value[i];
      }
    };
    R result;
    for (int i = 0; i < msl_count<R>; ++i) {
      result[i] = static_cast<msl_element<R>>(f(at(values, i)...));
    }
    return result;
  }
}

template <class A, class B>
inline msl_common<A, B> min(A a, B b) {
  using R = msl_common<A, B>;
  using E = msl_element<R>;
  return msl_map<R>([](E x, E y) { return y < x ? y : x; }, a, b);
}
template <class A, class B>
inline msl_common<A, B> max(A a, B b) {
  using R = msl_common<A, B>;
  using E = msl_element<R>;
  return msl_map<R>([](E x, E y) { return x < y ? y : x; }, a, b);
}
template <class A, class B, class C>
inline A clamp(A value, B low, C high) {
  return static_cast<A>(min(max(value, low), high));
}
template <class V>
inline V abs(V value) {
  using E = msl_element<V>;
  return msl_map<V>([](E x) { return x < E(0) ? E(-x) : x; }, value);
}
template <class V>
inline V saturate(V value) {
  return clamp(value, msl_element<V>(0), msl_element<V>(1));
}
template <class V>
inline V mix(V x, V y, V a) {
  return x + (y - x) * a;
}
template <class V>
inline V sign(V value) {
  using E = msl_element<V>;
  return msl_map<V>([](E x) { return E(x > E(0)) - E(x < E(0)); }, value);
}
template <class V>
inline msl_element<V> dot(V a, V b) {
  msl_element<V> sum = 0;
  for (int i = 0; i < msl_count<V>; ++i) sum += a[i] * b[i];
  return sum;
}
template <class V>
inline V mad24(V a, V b, V c) {
  return a * b + c;
}
template <class V>
inline V mul24(V a, V b) {
  return a * b;
}

// Comparisons of vectors give integers in clang, 0 or -1, where MSL has bool.
template <class V, class C>
inline V select(V a, V b, C condition) {
  if constexpr (msl_count<C> == 1) {
    return condition ? b : a;
  } else {
    for (int i = 0; i < msl_count<V>; ++i) {
      if (condition[i]) a[i] = b[i];
    }
    return a;
  }
}
template <class C>
inline bool any(C condition) {
  if constexpr (msl_count<C> == 1)
    return condition;
  else {
    bool result = false;
    for (int i = 0; i < msl_count<C>; ++i) result |= condition[i] != 0;
    return result;
  }
}
template <class C>
inline bool all(C condition) {
  if constexpr (msl_count<C> == 1)
    return condition;
  else {
    bool result = true;
    for (int i = 0; i < msl_count<C>; ++i) result &= condition[i] != 0;
    return result;
  }
}

template <class V>
inline V popcount(V value) {
  using U = std::make_unsigned_t<msl_element<V>>;
  return msl_map<V>([](auto x) { return __builtin_popcountll(static_cast<U>(x)); }, value);
}
template <class V>
inline V clz(V value) {
  constexpr int kBits = 8 * sizeof(msl_element<V>);
  using U = std::make_unsigned_t<msl_element<V>>;
  const auto count = [](auto x) {
    return x == 0 ? kBits : __builtin_clzll(static_cast<U>(x)) - (64 - kBits);
  };
  return msl_map<V>(count, value);
}
template <class V>
inline V ctz(V value) {
  constexpr int kBits = 8 * sizeof(msl_element<V>);
  using U = std::make_unsigned_t<msl_element<V>>;
  return msl_map<V>([](auto x) { return x == 0 ? kBits : __builtin_ctzll(static_cast<U>(x)); },
                    value);
}
template <class T>
inline T extract_bits(T value, uint offset, uint bits) {
  if (bits == 0) return 0;
  constexpr uint kBits = 8 * sizeof(T);
  return static_cast<T>(static_cast<T>(value << (kBits - offset - bits)) >> (kBits - bits));
}

}  // namespace metal
