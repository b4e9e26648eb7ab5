// SPDX-License-Identifier: Apache-2.0
#include "backends/simd/qk_norm_rope.h"

#include "backends/simd/ops.h"

namespace infer::simd {

void NormAndRotate(const BoundRope& rope, const float* x, const HeadNorm& norm, const RopeRow& row,
                   int64_t heads, float* out) {
  for (int64_t head = 0; head < heads; ++head) {
    float* to = out + head * norm.head_dim;
    rope.vector->rms_norm(x + head * norm.head_dim, norm.weight, norm.eps, norm.head_dim, to);
    rope.rotate(to, row, to);
  }
}

void QkNormRope(const KernelArgs& args, int64_t begin, int64_t end) {
  const float eps = static_cast<float>(args.attr<double>(0));
  const int64_t head_dim = args.out(0).dim(2);
  const BoundRope& rope = args.constants<BoundRope>();
  RopeRows rows(rope);
  for (int64_t token = begin; token < end; ++token) {
    const RopeRow& row = rows.At(args.batch->token_pos[token]);
    for (int i : {0, 1}) {
      const HeadNorm norm = {args.in(2 + i).f32(), eps, head_dim};
      const int64_t heads = args.out(i).dim(1);
      const int64_t at = token * heads * head_dim;
      NormAndRotate(rope, args.in(i).f32() + at, norm, row, heads, args.out(i).mutable_f32() + at);
    }
  }
}

}  // namespace infer::simd
