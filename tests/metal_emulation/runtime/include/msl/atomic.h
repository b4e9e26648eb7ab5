// SPDX-License-Identifier: Apache-2.0
//
// Atomic numbers of 32 bits. Groups run on several OS threads, so they are real atomics.
#pragma once

#include <type_traits>

#include "msl/types.h"

namespace metal {

enum memory_order { memory_order_relaxed };

// The object must be declared with an address space; copying it is no MSL.
template <class T>
struct atomic {
  static_assert(sizeof(T) == 4, "atomics of 64 bits are outside the language level");
  T value;
};
typedef atomic<uint> atomic_uint;
typedef atomic<int> atomic_int;
typedef atomic<float> atomic_float;
typedef atomic<bool> atomic_bool;

template <class P>
using msl_atomic_value = std::remove_cvref_t<decltype(P()->value)>;

template <class P>
inline msl_atomic_value<P> atomic_load_explicit(P object, memory_order) {
  using T = msl_atomic_value<P>;
  T result;
  __atomic_load((const T*)&object->value, &result, __ATOMIC_RELAXED);
  return result;
}
template <class P, class V>
inline void atomic_store_explicit(P object, V value, memory_order) {
  using T = msl_atomic_value<P>;
  T desired = static_cast<T>(value);
  __atomic_store((T*)&object->value, &desired, __ATOMIC_RELAXED);
}
template <class P, class V>
inline msl_atomic_value<P> atomic_exchange_explicit(P object, V value, memory_order) {
  using T = msl_atomic_value<P>;
  T desired = static_cast<T>(value), result;
  __atomic_exchange((T*)&object->value, &desired, &result, __ATOMIC_RELAXED);
  return result;
}
template <class P, class V>
inline bool atomic_compare_exchange_weak_explicit(P object, msl_atomic_value<P>* expected, V value,
                                                  memory_order, memory_order) {
  using T = msl_atomic_value<P>;
  T desired = static_cast<T>(value);
  return __atomic_compare_exchange((T*)&object->value, expected, &desired, true, __ATOMIC_RELAXED,
                                   __ATOMIC_RELAXED);
}

#define MSL_FETCH(name, expression)                                                           \
  template <class P, class V>                                                                 \
  inline msl_atomic_value<P> name(P object, V value, memory_order order) {                    \
    using T = msl_atomic_value<P>;                                                            \
    const T y = static_cast<T>(value);                                                        \
    T x = atomic_load_explicit(object, order);                                                \
    while (!atomic_compare_exchange_weak_explicit(object, &x, T(expression), order, order)) { \
    }                                                                                         \
    return x;                                                                                 \
  }
MSL_FETCH(atomic_fetch_add_explicit, x + y)
MSL_FETCH(atomic_fetch_sub_explicit, x - y)
MSL_FETCH(atomic_fetch_min_explicit, y < x ? y : x)
MSL_FETCH(atomic_fetch_max_explicit, x < y ? y : x)
MSL_FETCH(atomic_fetch_and_explicit, x& y)
MSL_FETCH(atomic_fetch_or_explicit, x | y)
MSL_FETCH(atomic_fetch_xor_explicit, x ^ y)
#undef MSL_FETCH

}  // namespace metal
