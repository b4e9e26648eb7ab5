// SPDX-License-Identifier: Apache-2.0
#include "backends/simd/isa/vec.h"
#include "backends/simd/vector/functions.h"

namespace infer::simd::INFER_SIMD_LEVEL {
namespace {

void SinCosPart(Floats angle_per_position, Floats position, Floats magnitude, Floats* cosine,
                Floats* sine) {
  // The angle is rounded to a float, as in the reference.
  SinCos(Mul(position, angle_per_position), sine, cosine);
  *cosine = Mul(*cosine, magnitude);
  *sine = Mul(*sine, magnitude);
}

}  // namespace

void SinCosRow(const float* angle_per_position, int32_t position, float magnitude, int64_t half,
               float* cosine, float* sine) {
  const Floats at = Broadcast(static_cast<float>(position));
  const Floats length = Broadcast(magnitude);
  Floats c, s;
  int64_t i = 0;
  for (; i + kLanes <= half; i += kLanes) {
    SinCosPart(Load(angle_per_position + i), at, length, &c, &s);
    Store(cosine + i, c);
    Store(sine + i, s);
  }
  if (i == half) return;
  SinCosPart(LoadPart(angle_per_position + i, half - i), at, length, &c, &s);
  StorePart(cosine + i, c, half - i);
  StorePart(sine + i, s, half - i);
}

void RopeHead(const float* x, const RopeRow& row, float* out) {
  const int64_t half = row.half;
  int64_t i = 0;
  for (; i + kLanes <= half; i += kLanes) {
    const Floats a = Load(x + i), b = Load(x + half + i);
    const Floats c = Load(row.cosine + i), s = Load(row.sine + i);
    Store(out + i, Sub(Mul(a, c), Mul(b, s)));
    Store(out + half + i, Fma(b, c, Mul(a, s)));
  }
  for (; i < half; ++i) {
    const float a = x[i], b = x[half + i];
    out[i] = a * row.cosine[i] - b * row.sine[i];
    out[half + i] = b * row.cosine[i] + a * row.sine[i];
  }
}

void RopeAdjacentHead(const float* x, const RopeRow& row, float* out) {
  // A pair depends on no other, in place too, so that the compiler may take several at a time: it
  // has loads and stores of every second element for each level.
#if defined(__clang__)
#pragma clang loop vectorize(assume_safety)
#else
#pragma GCC ivdep
#endif
  for (int64_t i = 0; i < row.half; ++i) {
    const float a = x[2 * i], b = x[2 * i + 1];
    out[2 * i] = a * row.cosine[i] - b * row.sine[i];
    out[2 * i + 1] = b * row.cosine[i] + a * row.sine[i];
  }
}

}  // namespace infer::simd::INFER_SIMD_LEVEL
