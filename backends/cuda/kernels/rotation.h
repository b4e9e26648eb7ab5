// SPDX-License-Identifier: Apache-2.0
//
// Sine and cosine of a position's angle.
#pragma once

#include "backends/cuda/kernels/primitives.h"

namespace infer::cuda {

struct SineCosine {
  float sine, cosine;
};

// Of an angle of up to 2^30. The quarter turns are taken off in double, the rest is a polynomial.
DEVICE inline SineCosine Turn(float angle) {
  const double quarters = __builtin_rint(static_cast<double>(angle) * 0.63661977236758134308);
  const float r =
      static_cast<float>(static_cast<double>(angle) - quarters * 1.57079632679489661923);
  const float z = r * r;
  float s = Fma(z, 2.7183114939e-6f, -1.9839334836e-4f);
  s = Fma(s, z, 8.3333293855e-3f);
  s = Fma(s, z, -1.6666666641e-1f);
  s = Fma(s * z, r, r);
  float c = Fma(z, 2.4390448796e-5f, -1.3887316255e-3f);
  c = Fma(c, z, 4.1666645683e-2f);
  c = Fma(c, z, -0.5f);
  c = Fma(c, z, 1.0f);
  const int quarter = static_cast<int>(static_cast<long long>(quarters) & 3);
  const float sine = quarter % 2 == 0 ? s : c, cosine = quarter % 2 == 0 ? c : s;
  return {quarter >= 2 ? -sine : sine, quarter == 1 || quarter == 2 ? -cosine : cosine};
}

}  // namespace infer::cuda
