// SPDX-License-Identifier: Apache-2.0
#include "backends/simd/isa/vec.h"
#include "backends/simd/vector/functions.h"

namespace infer::simd::INFER_SIMD_LEVEL {

// Both parts are scaled to the larger maximum. Of equal maxima, and where one of the parts saw
// nothing, the factors are exactly 1 and 0.
void MergeParts(const AttentionCall& call, const AttentionPart& part, const AttentionPart& to) {
  for (int64_t row = 0; row < call.tokens * call.group_heads; ++row) {
    const float max = part.max[row] > to.max[row] ? part.max[row] : to.max[row];
    float before[kLanes], added[kLanes];
    Store(before, Exp2(Broadcast(to.max[row] - max)));
    Store(added, Exp2(Broadcast(part.max[row] - max)));
    to.max[row] = max;
    to.sum[row] = to.sum[row] * before[0] + part.sum[row] * added[0];
    const int64_t token = row / call.group_heads, head = row % call.group_heads * call.head_dim;
    const float* from = part.out + token * part.out_stride + head;
    float* out = to.out + token * to.out_stride + head;
    for (int64_t d = 0; d < call.head_dim; ++d) out[d] = out[d] * before[0] + from[d] * added[0];
  }
}

}  // namespace infer::simd::INFER_SIMD_LEVEL
