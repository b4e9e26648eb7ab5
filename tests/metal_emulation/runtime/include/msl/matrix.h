// SPDX-License-Identifier: Apache-2.0
//
// Small matrices of one thread: columns, without arithmetic.
#pragma once

#include "msl/make.h"

namespace metal {

template <class T, int Columns, int Rows>
struct matrix {
  vec<T, Rows> columns[Columns];
  vec<T, Rows>& operator[](int column) { return columns[column]; }
  const vec<T, Rows>& operator[](int column) const { return columns[column]; }
};

}  // namespace metal

typedef metal::matrix<float, 2, 4> float2x4;
typedef metal::matrix<float, 4, 4> float4x4;
typedef metal::matrix<half, 2, 4> half2x4;
typedef metal::matrix<half, 4, 4> half4x4;
