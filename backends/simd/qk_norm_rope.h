// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "backends/simd/bound_rope.h"

namespace infer::simd {

// Norms each of `heads` heads of one token with `weight` and rotates it. `out` may be `x`.
struct HeadNorm {
  const float* weight;
  float eps;
  int64_t head_dim;
};
void NormAndRotate(const BoundRope& rope, const float* x, const HeadNorm& norm, const RopeRow& row,
                   int64_t heads, float* out);

}  // namespace infer::simd
