// SPDX-License-Identifier: Apache-2.0
#include "runtime/portable_exp.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace infer {
namespace {

// Two at a time, in the vector types of GCC and clang: every supported processor has 16-byte
// registers, and each lane computes what a single number would.
using Doubles = double __attribute__((vector_size(16)));
using Ints = int64_t __attribute__((vector_size(16)));
constexpr size_t kLanes = 2;
// One result is a chain of 30 dependent operations; a processor that issues two or more per cycle
// needs several chains to stay busy. More chains than this do not fit in its registers.
constexpr size_t kVectors = 4;

inline Doubles Choose(Ints mask, Doubles yes, Doubles no) {
  return reinterpret_cast<Doubles>((reinterpret_cast<Ints>(yes) & mask) |
                                   (reinterpret_cast<Ints>(no) & ~mask));
}

// Branch-free: values below -708 are computed as -708 and then replaced.
template <size_t kCount>
inline void Exp(double* values) {
  // x = k ln 2 + r with |r| <= ln 2 / 2. ln 2 is in two parts: the first has 21 trailing zero bits,
  // so that k times it is exact for every k that can occur.
  constexpr double kInvLn2 = 0x1.71547652b82fep+0;
  constexpr double kLn2High = 0x1.62e42fee00000p-1;
  constexpr double kLn2Low = 0x1.a39ef35793c76p-33;
  // Taylor series up to the 13th power; the first omitted term is below 2^-57 at r = ln 2 / 2. Even
  // and odd powers are summed separately: two short chains of operations instead of one long one.
  constexpr int kTerms = 7;
  constexpr double kEven[kTerms] = {
      1.0 / 479001600.0, 1.0 / 3628800.0, 1.0 / 40320.0, 1.0 / 720.0, 1.0 / 24.0, 1.0 / 2.0, 1.0};
  constexpr double kOdd[kTerms] = {1.0 / 6227020800.0,
                                   1.0 / 39916800.0,
                                   1.0 / 362880.0,
                                   1.0 / 5040.0,
                                   1.0 / 120.0,
                                   1.0 / 6.0,
                                   1.0};
  Ints in_range[kCount];
  Doubles power[kCount], r[kCount], square[kCount], even[kCount], odd[kCount];
  for (size_t i = 0; i < kCount; ++i) {
    Doubles x;
    std::copy_n(values + i * kLanes, kLanes, reinterpret_cast<double*>(&x));
    in_range[i] = x >= -708.0;
    x = Choose(in_range[i], x, Doubles{} - 708.0);
    const Ints k = __builtin_convertvector(x * kInvLn2 - 0.5, Ints);
    const Doubles kd = __builtin_convertvector(k, Doubles);
    r[i] = (x - kd * kLn2High) - kd * kLn2Low;
    power[i] = reinterpret_cast<Doubles>((k + 1023) << 52);
    square[i] = r[i] * r[i];
    even[i] = Doubles{} + kEven[0];
    odd[i] = Doubles{} + kOdd[0];
  }
  for (int term = 1; term < kTerms; ++term) {
    for (size_t i = 0; i < kCount; ++i) even[i] = even[i] * square[i] + kEven[term];
    for (size_t i = 0; i < kCount; ++i) odd[i] = odd[i] * square[i] + kOdd[term];
  }
  for (size_t i = 0; i < kCount; ++i) {
    const Doubles result = Choose(in_range[i], (even[i] + odd[i] * r[i]) * power[i], Doubles{});
    std::copy_n(reinterpret_cast<const double*>(&result), kLanes, values + i * kLanes);
  }
}

}  // namespace

double PortableExp(double x) {
  double lanes[kLanes] = {x};
  Exp<1>(lanes);
  return lanes[0];
}

void PortableExpInPlace(std::span<double> values) {
  constexpr size_t kStep = kVectors * kLanes;
  size_t done = 0;
  for (; done + kStep <= values.size(); done += kStep) Exp<kVectors>(values.data() + done);
  for (; done < values.size(); ++done) values[done] = PortableExp(values[done]);
}

}  // namespace infer
