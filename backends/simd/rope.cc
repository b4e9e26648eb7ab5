// SPDX-License-Identifier: Apache-2.0
#include "backends/simd/bound_rope.h"
#include "backends/simd/ops.h"

namespace infer::simd {

void Rope(const KernelArgs& args, int64_t begin, int64_t end) {
  const int64_t heads = args.out().dim(1);
  const int64_t head_dim = args.out().dim(2);
  const BoundRope& rope = args.constants<BoundRope>();
  RopeRows rows(rope);
  for (int64_t token = begin; token < end; ++token) {
    const RopeRow& row = rows.At(args.batch->token_pos[token]);
    for (int64_t head = 0; head < heads; ++head) {
      const int64_t at = (token * heads + head) * head_dim;
      rope.rotate(args.in(0).f32() + at, row, args.out().mutable_f32() + at);
    }
  }
}

}  // namespace infer::simd
