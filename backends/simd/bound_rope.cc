// SPDX-License-Identifier: Apache-2.0
#include "backends/simd/bound_rope.h"

#include "backends/scalar/rope_angles.h"
#include "backends/simd/levels/choose_level.h"
#include "ir/ops/ops.h"

namespace infer::simd {

BoundRope::BoundRope(std::span<const Attr> rope_attrs, int64_t head_dim)
    : vector(ChosenLevel().level->vector) {
  const ops::RopeParams rope = ops::RopeParamsOf(rope_attrs);
  rotate = rope.adjacent ? vector->rope_adjacent : vector->rope;
  magnitude = static_cast<float>(scalar::RopeMagnitude(rope));
  for (int64_t pair = 0; pair < head_dim / 2; ++pair) {
    angles.push_back(scalar::AnglePerPosition(rope, head_dim, pair));
  }
}

}  // namespace infer::simd
