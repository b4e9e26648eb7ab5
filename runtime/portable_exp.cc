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
  // Taylor series to the 13th power; the first term left out is below 2^-57 at r = ln 2 / 2. Even
  // and odd powers apart, for two short chains of operations instead of a long one.
  constexpr double kEven[] = {
      1.0 / 479001600.0, 1.0 / 3628800.0, 1.0 / 40320.0, 1.0 / 720.0, 1.0 / 24.0, 1.0 / 2.0, 1.0};
  constexpr double kOdd[] = {1.0 / 6227020800.0,
                             1.0 / 39916800.0,
                             1.0 / 362880.0,
                             1.0 / 5040.0,
                             1.0 / 120.0,
                             1.0 / 6.0,
                             1.0};
  const double square = r * r;
  double even = 0.0;
  double odd = 0.0;
  for (int i = 0; i < 7; ++i) {
    even = even * square + kEven[i];
    odd = odd * square + kOdd[i];
  }
  const double sum = even + odd * r;
  return sum * std::bit_cast<double>(static_cast<uint64_t>(k + 1023) << 52);
}

}  // namespace infer
