// SPDX-License-Identifier: Apache-2.0
#include "backends/simd/vector/functions.h"
#include "backends/simd/vector/map.h"

namespace infer::simd::INFER_SIMD_LEVEL {
namespace {

// Four vectors of sums: a single one would be bound by the latency of an addition.
struct Sums {
  Floats part[4] = {Broadcast(0), Broadcast(0), Broadcast(0), Broadcast(0)};

  float Total() const { return Sum(Add(Add(part[0], part[1]), Add(part[2], part[3]))); }
};

float InverseRms(float sum_squares, float eps, int64_t n) {
  return 1.0f / __builtin_sqrtf(sum_squares / static_cast<float>(n) + eps);
}

// The multiplication by the weight comes last, as in the op's own decomposition.
void Normed(const float* x, const float* weight, float inverse, int64_t n, float* out) {
  const Floats factor = Broadcast(inverse);
  Map(x, weight, n, out, [factor](Floats a, Floats w) { return Mul(Mul(a, factor), w); });
}

}  // namespace

float SumSquares(const float* x, int64_t n) {
  Sums sums;
  int64_t i = 0;
  for (; i + 4 * kLanes <= n; i += 4 * kLanes) {
    for (int part = 0; part < 4; ++part) {
      const Floats v = Load(x + i + part * kLanes);
      sums.part[part] = Fma(v, v, sums.part[part]);
    }
  }
  for (; i + kLanes <= n; i += kLanes) {
    const Floats v = Load(x + i);
    sums.part[0] = Fma(v, v, sums.part[0]);
  }
  if (i < n) {
    const Floats v = LoadPart(x + i, n - i);
    sums.part[1] = Fma(v, v, sums.part[1]);
  }
  return sums.Total();
}

void RmsNormRow(const float* x, const float* weight, float eps, int64_t n, float* out) {
  Normed(x, weight, InverseRms(SumSquares(x, n), eps, n), n, out);
}

void AddRmsNormRow(const float* x, const float* y, const float* weight, float eps, int64_t n,
                   float* sum, float* normed) {
  AddRow(x, y, n, sum);
  Normed(sum, weight, InverseRms(SumSquares(sum, n), eps, n), n, normed);
}

}  // namespace infer::simd::INFER_SIMD_LEVEL
