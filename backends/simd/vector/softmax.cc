// SPDX-License-Identifier: Apache-2.0
#include "backends/simd/vector/functions.h"
#include "backends/simd/vector/map.h"

namespace infer::simd::INFER_SIMD_LEVEL {
namespace {

constexpr float kInfinity = __builtin_inff();

// The largest element, and whether there is a NaN, which a maximum may drop.
struct Extreme {
  float max = -kInfinity;
  bool nan = false;
};

Extreme FindExtreme(const float* x, int64_t n) {
  Extreme extreme;
  int64_t i = 0;
  if (n >= 2 * kLanes) {
    Floats a = Load(x), b = Load(x + kLanes);
    // NaN and infinity times zero are NaN, which stays in the sum; they are told apart below.
    Floats trap = Broadcast(0);
    for (; i + 2 * kLanes <= n; i += 2 * kLanes) {
      const Floats v = Load(x + i), w = Load(x + i + kLanes);
      a = Max(a, v);
      b = Max(b, w);
      trap = Fma(Add(v, w), Broadcast(0), trap);
    }
    extreme.max = Largest(Max(a, b));
    if (AnyNan(trap)) {
      for (int64_t k = 0; k < i; ++k) extreme.nan |= x[k] != x[k];
      extreme.max = -kInfinity;
      for (int64_t k = 0; k < i; ++k) extreme.max = x[k] > extreme.max ? x[k] : extreme.max;
    }
  }
  for (; i < n; ++i) {
    extreme.nan |= x[i] != x[i];
    extreme.max = x[i] > extreme.max ? x[i] : extreme.max;
  }
  return extreme;
}

// Computes exp(x - max) and corrects for the rounding error of the difference: at a distance of 64,
// half a unit in the last place of the difference is 2^-18.
Floats ExpBelow(Floats x, Floats max) {
  const Floats d = Sub(x, max);
  const Floats back = Sub(d, x);
  const Floats lost = Sub(Sub(x, Sub(d, back)), Add(max, back));
  // Far below, where the result is zero, `lost` may be infinity minus infinity.
  const Floats error = SelectNegative(Add(d, Broadcast(110.0f)), Broadcast(0), lost);
  const Floats e = Exp(d);
  return Fma(e, error, e);
}

void Fill(float* out, int64_t n, float value) {
  for (int64_t i = 0; i < n; ++i) out[i] = value;
}

}  // namespace

void SoftmaxRow(const float* x, int64_t n, float* out) {
  const Extreme extreme = FindExtreme(x, n);
  if (extreme.nan || extreme.max == kInfinity) return Fill(out, n, __builtin_nanf(""));
  if (extreme.max == -kInfinity) return Fill(out, n, 0.0f);
  const Floats max = Broadcast(extreme.max);
  double total = 0;
  int64_t i = 0;
  while (i + kLanes <= n) {
    Floats sum = Broadcast(0);
    // At most 64 vectors are summed in float, so that a long row loses no accuracy.
    for (int k = 0; k < 64 && i + kLanes <= n; ++k, i += kLanes) {
      const Floats e = ExpBelow(Load(x + i), max);
      Store(out + i, e);
      sum = Add(sum, e);
    }
    total += Sum(sum);
  }
  if (i < n) {
    StorePart(out + i, ExpBelow(LoadPart(x + i, n - i), max), n - i);
    for (; i < n; ++i) total += out[i];
  }
  ScaleRow(out, static_cast<float>(1.0 / total), n, out);
}

int64_t ArgmaxRow(const float* x, int64_t n) {
  const Extreme extreme = FindExtreme(x, n);
  int64_t i = 0;
  if (extreme.nan) {
    while (x[i] == x[i]) ++i;
    return i;
  }
  while (i < n && x[i] != extreme.max) ++i;
  return i < n ? i : 0;
}

float SumExp(const float* x, int64_t n, float max) {
  const Floats top = Broadcast(max);
  double total = 0;
  int64_t i = 0;
  while (i + 2 * kLanes <= n) {
    Floats a = Broadcast(0), b = Broadcast(0);
    for (int k = 0; k < 64 && i + 2 * kLanes <= n; ++k, i += 2 * kLanes) {
      a = Add(a, Exp(Sub(Load(x + i), top)));
      b = Add(b, Exp(Sub(Load(x + i + kLanes), top)));
    }
    total += Sum(Add(a, b));
  }
  for (; i < n; i += kLanes) {
    const int64_t count = n - i < kLanes ? n - i : kLanes;
    const Floats v = count == kLanes ? Load(x + i) : LoadPart(x + i, count);
    float terms[kLanes];
    Store(terms, Exp(Sub(v, top)));
    for (int64_t k = 0; k < count; ++k) total += terms[k];
  }
  return static_cast<float>(total);
}

}  // namespace infer::simd::INFER_SIMD_LEVEL
