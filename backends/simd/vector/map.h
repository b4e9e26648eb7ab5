// SPDX-License-Identifier: Apache-2.0
//
// One function of vectors over a row, whose tail is a vector with zeros behind it. `out` may be an
// input: an element is read before its place is written.
#pragma once

#include <cstdint>

#include "backends/simd/vec.h"

namespace infer::simd::INFER_SIMD_LEVEL {

template <class F>
static inline void Map(const float* x, int64_t n, float* out, F f) {
  int64_t i = 0;
  for (; i + kLanes <= n; i += kLanes) Store(out + i, f(Load(x + i)));
  if (i < n) StorePart(out + i, f(LoadPart(x + i, n - i)), n - i);
}

template <class F>
static inline void Map(const float* x, const float* y, int64_t n, float* out, F f) {
  int64_t i = 0;
  for (; i + kLanes <= n; i += kLanes) Store(out + i, f(Load(x + i), Load(y + i)));
  if (i < n) StorePart(out + i, f(LoadPart(x + i, n - i), LoadPart(y + i, n - i)), n - i);
}

}  // namespace infer::simd::INFER_SIMD_LEVEL
