// SPDX-License-Identifier: Apache-2.0
#include "backends/simd/vector/functions.h"
#include "backends/simd/vector/map.h"

namespace infer::simd::INFER_SIMD_LEVEL {

void AddRow(const float* x, const float* y, int64_t n, float* out) {
  Map(x, y, n, out, [](Floats a, Floats b) { return Add(a, b); });
}

void MulRow(const float* x, const float* y, int64_t n, float* out) {
  Map(x, y, n, out, [](Floats a, Floats b) { return Mul(a, b); });
}

void ScaleRow(const float* x, float factor, int64_t n, float* out) {
  const Floats f = Broadcast(factor);
  Map(x, n, out, [f](Floats a) { return Mul(a, f); });
}

void AddScalarRow(const float* x, float addend, int64_t n, float* out) {
  const Floats f = Broadcast(addend);
  Map(x, n, out, [f](Floats a) { return Add(a, f); });
}

void SiluRow(const float* x, int64_t n, float* out) {
  Map(x, n, out, [](Floats a) { return Silu(a); });
}

void SwigluRow(const float* gate, const float* up, int64_t n, float* out) {
  Map(gate, up, n, out, [](Floats g, Floats u) { return Mul(Silu(g), u); });
}

}  // namespace infer::simd::INFER_SIMD_LEVEL
