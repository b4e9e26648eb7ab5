// SPDX-License-Identifier: Apache-2.0
//
// A head in a simdgroup: the norm and the rotation. Lane i holds pairs i, i + 32, ...; pair i is
// elements i and i + head_dim / 2.
#pragma once

// The angles follow the arguments, see HeadArgs.
inline constant float* Angles(constant HeadArgs* p) { return (constant float*)(p + 1); }

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
  const uint other = pair + p->head_dim / 2;
  return Rotate(x[pair] * inverse * weight[pair], x[other] * inverse * weight[other],
                CosineAndSine(p, position, pair));
}
