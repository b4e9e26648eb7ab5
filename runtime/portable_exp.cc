// SPDX-License-Identifier: Apache-2.0
#include "runtime/portable_exp.h"

#include <bit>
#include <cstdint>

namespace infer {

double PortableExp(double x) {
  if (!(x >= -708.0)) return 0.0;
  // x = k ln 2 + r with |r| <= ln 2 / 2. ln 2 in two parts: the first has 21 trailing zero bits, so
  // that k times it is exact for every k that can occur.
  constexpr double kInvLn2 = 0x1.71547652b82fep+0;
  constexpr double kLn2High = 0x1.62e42fee00000p-1;
  constexpr double kLn2Low = 0x1.a39ef35793c76p-33;
  const int64_t k = static_cast<int64_t>(x * kInvLn2 - 0.5);
  const double kd = static_cast<double>(k);
  const double r = (x - kd * kLn2High) - kd * kLn2Low;
  // Taylor terms 1/n!; the first one left out is below 2^-57 at r = ln 2 / 2.
  constexpr double kTerms[] = {1.0 / 6227020800.0,
                               1.0 / 479001600.0,
                               1.0 / 39916800.0,
                               1.0 / 3628800.0,
                               1.0 / 362880.0,
                               1.0 / 40320.0,
                               1.0 / 5040.0,
                               1.0 / 720.0,
                               1.0 / 120.0,
                               1.0 / 24.0,
                               1.0 / 6.0,
                               0.5,
                               1.0,
                               1.0};
  double sum = 0.0;
  for (const double term : kTerms) sum = sum * r + term;
  return sum * std::bit_cast<double>(static_cast<uint64_t>(k + 1023) << 52);
}

}  // namespace infer
