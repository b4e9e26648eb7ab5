// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <limits>
#include <type_traits>

#include "msl/types.h"

namespace metal {

using std::conditional;
using std::conditional_t;
using std::enable_if;
using std::enable_if_t;
using std::false_type;
using std::integral_constant;
using std::is_floating_point;
using std::is_integral;
using std::is_same;
using std::is_same_v;
using std::is_signed;
using std::is_unsigned;
using std::make_unsigned_t;
using std::remove_const_t;
using std::remove_cv_t;
using std::true_type;

template <class T>
struct numeric_limits : std::numeric_limits<T> {};
template <>
struct numeric_limits<half> {
  static constexpr half infinity() { return static_cast<half>(INFINITY); }
  static constexpr half max() { return HALF_MAX; }
  static constexpr half lowest() { return -HALF_MAX; }
  static constexpr half min() { return HALF_MIN; }
  static constexpr half quiet_NaN() { return static_cast<half>(NAN); }
};

}  // namespace metal
