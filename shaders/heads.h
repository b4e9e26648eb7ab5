// SPDX-License-Identifier: Apache-2.0
//
// A head in a simdgroup: the norm and the rotation. Lane i holds pairs i, i + 32, ...; FirstOf and
// SecondOf are its elements.
#pragma once

// The angles follow the arguments, see HeadArgs.
inline constant float* Angles(constant HeadArgs* p) { return (constant float*)(p + 1); }

inline uint FirstOf(constant HeadArgs* p, uint pair) { return p->adjacent ? 2 * pair : pair; }
inline uint SecondOf(constant HeadArgs* p, uint pair) {
  return p->adjacent ? 2 * pair + 1 : pair + p->head_dim / 2;
}

// The angle is rounded to a float, as in the reference; sine and cosine are exact for it.
inline float2 CosineAndSine(constant HeadArgs* p, int position, uint pair) {
  const float angle = float(position) * Angles(p)[pair];
  return float2(precise::cos(angle), precise::sin(angle)) * p->magnitude;
}

inline float2 Rotate(float first, float second, float2 turn) {
  return float2(first * turn.x - second * turn.y, second * turn.x + first * turn.y);
}

// Returns the factor of the elements of a head in its norm. All lanes must call it.
inline float HeadNorm(device const float* x, uint head_dim, float eps, ushort lane) {
  float sum = 0.0f;
  for (uint i = lane; i < head_dim; i += 32) sum += x[i] * x[i];
  return precise::rsqrt(simd_sum(sum) / float(head_dim) + eps);
}

// Returns pair `pair` of a head, normed and rotated.
inline float2 NormAndRotate(constant HeadArgs* p, device const float* x, device const float* weight,
                            float inverse, int position, uint pair) {
  const uint first = FirstOf(p, pair), second = SecondOf(p, pair);
  return Rotate(x[first] * inverse * weight[first], x[second] * inverse * weight[second],
                CosineAndSine(p, position, pair));
}
