// SPDX-License-Identifier: Apache-2.0
#include "backends/simd/cache_vector.h"
#include "backends/simd/ops.h"
#include "backends/simd/qk_norm_rope.h"
#include "backends/simd/rope_table.h"

namespace infer::simd {
namespace {

// K of one token, a head at a time on its way to the cache, and V as it is.
void StoreToken(const KernelArgs& args, int64_t token, const HeadNorm& norm, const RopeRow& row) {
  const KvView& kv = args.inputs[0].kv;
  for (int32_t head = 0; head < kv.kv_heads; ++head) {
    const int64_t from = (token * kv.kv_heads + head) * kv.head_dim;
    const size_t to = kv.Offset(args.batch->token_slot[token], head);
    float key[kMaxRopeHeadDim];
    NormAndRotate(args.in(2).f32() + from, norm, row, 1, key);
    StoreCacheVector(kv, key, kv.k, to);
    StoreCacheVector(kv, args.in(3).f32() + from, kv.v, to);
  }
}

}  // namespace

void AttentionInputs(const KernelArgs& args, int64_t begin, int64_t end) {
  const float eps = static_cast<float>(args.attr<double>(0));
  const int64_t heads = args.out(1).dim(1);
  const int64_t head_dim = args.out(1).dim(2);
  const HeadNorm q_norm = {args.in(4).f32(), eps, head_dim};
  const HeadNorm k_norm = {args.in(5).f32(), eps, head_dim};
  RopeTable table(args.attrs.subspan(1), head_dim);
  for (int64_t token = begin; token < end; ++token) {
    const RopeRow& row = table.At(args.batch->token_pos[token]);
    const int64_t at = token * heads * head_dim;
    NormAndRotate(args.in(1).f32() + at, q_norm, row, heads, args.out(1).mutable_f32() + at);
    StoreToken(args, token, k_norm, row);
  }
}

}  // namespace infer::simd
