// SPDX-License-Identifier: Apache-2.0
#include <cmath>

#include "backends/scalar/ops.h"
#include "backends/scalar/rope_angles.h"

namespace infer::scalar {

void Rope(const KernelArgs& args, int64_t begin, int64_t end) {
  const ops::RopeParams rope = ops::RopeParamsOf(args.attrs);
  const int64_t heads = args.out().dim(1);
  const int64_t head_dim = args.out().dim(2);
  const int64_t pairs = head_dim / 2;
  const int64_t step = rope.adjacent ? 2 : 1;         // from a pair to the next
  const int64_t partner = rope.adjacent ? 1 : pairs;  // from a pair's first element to its second
  const double magnitude = RopeMagnitude(rope);
  for (int64_t pair = 0; pair < pairs; ++pair) {
    const float angle_per_position = AnglePerPosition(rope, head_dim, pair);
    for (int64_t token = begin; token < end; ++token) {
      const float angle = static_cast<float>(args.batch->token_pos[token]) * angle_per_position;
      const double cosine = magnitude * std::cos(static_cast<double>(angle));
      const double sine = magnitude * std::sin(static_cast<double>(angle));
      for (int64_t head = 0; head < heads; ++head) {
        const int64_t at = (token * heads + head) * head_dim + pair * step;
        const double first = args.in(0).f32()[at];
        const double second = args.in(0).f32()[at + partner];
        args.out().mutable_f32()[at] = static_cast<float>(first * cosine - second * sine);
        args.out().mutable_f32()[at + partner] = static_cast<float>(second * cosine + first * sine);
      }
    }
  }
}

}  // namespace infer::scalar
