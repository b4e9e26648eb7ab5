// SPDX-License-Identifier: Apache-2.0
#include "ir/ops/ops.h"

namespace infer::ops {
namespace {

constexpr InputSpec kInputsOfAttention[] = {
    {"q"}, {"kv", TypeKind::kKv}, {"batch", TypeKind::kBatch}};
constexpr AttrSpec kAttrsOfAttention[] = {{"scale", AttrKind::kDouble}};

absl::StatusOr<Types> InferAttention(const OpArgs& args) {
  const ValueType& q = args.input(0);
  const ValueType& kv = args.input(1);
  if (!q.is_tensor(DType::kF32) || q.rank() != 3 || q.dim(0) != Dim(Symbol::kT) ||
      q.dim(1).is_symbol() || q.dim(2).is_symbol()) {
    return args.Error("q must be f32[T,heads,head_dim]");
  }
  int64_t heads = q.dim(1).value();
  int64_t head_dim = q.dim(2).value();
  if (kv.dim(1) != q.dim(2)) return args.Error("q and kv differ in head_dim");
  if (heads % kv.dim(0).value() != 0) return args.Error("heads must be a multiple of kv heads");
  return Types{ValueType::F32({q.dim(0), heads * head_dim})};
}

Cost CostOfAttention(const OpArgs& args) {
  double width = static_cast<double>(args.input(0).dim(1).value() * args.input(0).dim(2).value());
  const TensorType& kv = args.input(1).tensor;
  double kv_elements = static_cast<double>(kv.dim(0).value() * kv.dim(1).value());
  SymbolicCount cache = {.cs = 2 * kv_elements * BytesPerElement(kv.dtype)};
  return {.flops = {.ctsn = 4 * width}, .bytes = IoBytes(args) + cache};
}

// For each query head: the scores of all visible positions, masked, passed through softmax, times
// the values. Several query heads share one key/value head.
std::vector<Value> DecomposeAttention(GraphBuilder& b, const Node& node) {
  Value batch = node.input(2);
  const ValueType& q_type = node.input(0).type();
  int64_t heads = q_type.dim(1).value();
  int64_t head_dim = q_type.dim(2).value();
  int64_t heads_per_kv = heads / node.input(1).type().dim(0).value();
  Value q = Reshape(b, node.input(0), {0, heads * head_dim});
  auto [keys, values] = KvRead(b, node.input(1), batch);
  std::vector<Value> parts;
  for (int64_t head = 0; head < heads; ++head) {
    int64_t kv_column = head / heads_per_kv * head_dim;
    Value q_head = SliceColumns(b, q, head * head_dim, head_dim);
    Value k_head = SliceColumns(b, keys, kv_column, head_dim);
    Value v_head = SliceColumns(b, values, kv_column, head_dim);
    Value scores = Scale(b, Matmul(b, q_head, Transpose(b, k_head)), AttentionScale(node.attrs()));
    Value weights = Softmax(b, AttnMask(b, scores, batch));
    parts.push_back(Matmul(b, weights, v_head));
  }
  return {ConcatColumns(b, parts)};
}

std::vector<ShardStrategy> ShardAttention(const OpArgs& args) {
  return {{.inputs = {Sharding::Split(1), Sharding::Split(0), Sharding::Replicated()},
           .results = {Sharding::Split(1)},
           .units = args.input(1).dim(0).value(),
           .unit_name = "key/value heads",
           .reason = "each head by itself"}};
}

}  // namespace

constinit const OpDef kAttention = {
    .name = "attention",
    .summary = "causal attention of q over the cache, heads side by side in the result",
    .inputs = kInputsOfAttention,
    .attrs = kAttrsOfAttention,
    .infer = InferAttention,
    .cost = CostOfAttention,
    .decompose = DecomposeAttention,
    .shard = ShardAttention,
};

double AttentionScale(std::span<const Attr> attrs) { return std::get<double>(attrs[0]); }

Value Attention(GraphBuilder& b, Value q, Value kv, Value batch, double scale) {
  return b.EmitValue(kAttention, {q, kv, batch}, {scale});
}

}  // namespace infer::ops
