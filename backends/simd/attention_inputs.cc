// SPDX-License-Identifier: Apache-2.0
#include "backends/simd/bound_rope.h"
#include "backends/simd/cache_vector.h"
#include "backends/simd/ops.h"
#include "backends/simd/qk_norm_rope.h"

namespace infer::simd {
namespace {

struct BoundAttentionInputs {
  BoundRope rope;
  StoreCacheVector store;
};

// Norms and rotates K of one head of one token and stores it in the cache with V, which is
// unchanged.
void StoreHead(const KernelArgs& args, int64_t token, int32_t head, const HeadNorm& norm,
               const RopeRow& row) {
  const BoundAttentionInputs& bound = args.constants<BoundAttentionInputs>();
  const VectorKernels& vector = *bound.rope.vector;
  const KvView& kv = args.inputs[0].kv;
  const int64_t from = (token * kv.kv_heads + head) * kv.head_dim;
  const size_t to = kv.Offset(args.batch->token_slot[token], head);
  float key[kMaxRopeHeadDim];
  NormAndRotate(bound.rope, args.in(2).f32() + from, norm, row, 1, key);
  bound.store(vector, key, kv.head_dim, kv.k + to);
  bound.store(vector, args.in(3).f32() + from, kv.head_dim, kv.v + to);
}

}  // namespace

// A unit is a head of the cache with the heads of q that read it, for one token: if a whole token
// were a unit, decoding would use one thread, and the others would wait for 11 us in each layer of
// a 0.6B model.
int64_t AttentionInputsUnits(const KernelArgs& args) {
  return args.in(1).dim(0) * args.inputs[0].kv.kv_heads;
}

std::shared_ptr<const void> BindAttentionInputs(const Node& node) {
  return std::make_shared<BoundAttentionInputs>(
      BoundRope(node.attrs().subspan(1), node.result(1).type.dim(2).value()),
      StoreFor(node.input(0).type().tensor.dtype));
}

void AttentionInputs(const KernelArgs& args, int64_t begin, int64_t end) {
  const BoundRope& rope = args.constants<BoundAttentionInputs>().rope;
  const float eps = static_cast<float>(args.attr<double>(0));
  const int64_t kv_heads = args.inputs[0].kv.kv_heads;
  const int64_t heads = args.out(1).dim(1);
  const int64_t head_dim = args.out(1).dim(2);
  const HeadNorm q_norm = {args.in(4).f32(), eps, head_dim};
  const HeadNorm k_norm = {args.in(5).f32(), eps, head_dim};
  RopeRows rows(rope);
  const RopeRow* row = nullptr;
  for (int64_t unit = begin; unit < end; ++unit) {
    const int64_t token = unit / kv_heads;
    const int64_t head = unit % kv_heads;
    if (row == nullptr || head == 0) row = &rows.At(args.batch->token_pos[token]);
    const int64_t first = head * heads / kv_heads;
    const int64_t last = (head + 1) * heads / kv_heads;
    const int64_t at = (token * heads + first) * head_dim;
    NormAndRotate(rope, args.in(1).f32() + at, q_norm, *row, last - first,
                  args.out(1).mutable_f32() + at);
    StoreHead(args, token, static_cast<int32_t>(head), k_norm, *row);
  }
}

}  // namespace infer::simd
