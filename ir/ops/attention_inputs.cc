// SPDX-License-Identifier: Apache-2.0
#include "ir/base/status_macros.h"
#include "ir/base/strings.h"
#include "ir/ops/rope_attrs.h"

namespace infer::ops {
namespace {

constexpr InputSpec kInputsOfAttentionInputs[] = {
    {"kv", TypeKind::kKv},      {"q"}, {"k"}, {"v"}, {"q_norm"}, {"k_norm"},
    {"batch", TypeKind::kBatch}};

absl::StatusOr<Types> InferAttentionInputs(const OpArgs& args) {
  const ValueType& kv = args.input(0);
  ASSIGN_OR_RETURN(ValueType q, InferHeads(args, "q", args.input(1), args.input(4)));
  ASSIGN_OR_RETURN(ValueType k, InferHeads(args, "k", args.input(2), args.input(5)));
  if (k.dim(1) != kv.dim(0) || k.dim(2) != kv.dim(1)) {
    return args.Error(StrCat("k has ", ToString(k.dim(1)), " heads of ", ToString(k.dim(2)),
                             ", the cache is ", ToString(kv)));
  }
  if (args.input(3) != args.input(2)) {
    return args.Error(StrCat("v must have the type of k, ", ToString(args.input(2)), ", found ",
                             ToString(args.input(3))));
  }
  RETURN_IF_ERROR(CheckRope(args, NormRopeOf(args.attrs).rope, q.dim(2).value()));
  return Types{kv, q};
}

// The norm and rotation of q and k, plus writing k and v as the cache stores them.
Cost CostOfAttentionInputs(const OpArgs& args) {
  SymbolicCount q = CountElements(args.input(1).tensor.shape).value_or(SymbolicCount{});
  SymbolicCount k = CountElements(args.input(2).tensor.shape).value_or(SymbolicCount{});
  ValueType stored = args.input(2);
  stored.tensor.dtype = args.input(0).tensor.dtype;
  return {.flops = 7 * (q + k), .bytes = IoBytes(args) + 2 * CountBytes(stored)};
}

std::vector<Value> DecomposeAttentionInputs(GraphBuilder& b, const Node& node) {
  Value batch = node.input(6);
  const NormRopeParams params = NormRopeOf(node.attrs());
  auto [q, k] = QkNormRope(b, node.input(1), node.input(2), node.input(4), node.input(5), batch,
                           params.eps, params.rope);
  return {KvWrite(b, node.input(0), k, node.input(3), batch), q};
}

std::vector<ShardStrategy> ShardAttentionInputs(const OpArgs& args) {
  return {
      {.inputs = {Sharding::Split(0), Sharding::Split(1), Sharding::Split(1), Sharding::Split(1),
                  Sharding::Replicated(), Sharding::Replicated(), Sharding::Replicated()},
       .results = {Sharding::Split(0), Sharding::Split(1)},
       .units = args.input(0).dim(0).value(),
       .unit_name = "key/value heads",
       .reason = "each head by itself"}};
}

}  // namespace

constinit const OpDef kAttentionInputs = {
    .name = "attention_inputs",
    .summary = "norms and rotates q and k as qk_norm_rope does, and stores k and v in the cache",
    .family = "rope",
    .inputs = kInputsOfAttentionInputs,
    .attrs = kNormRopeAttrs,
    .num_results = 2,
    .traits = {.aliases_input = 0},
    .infer = InferAttentionInputs,
    .cost = CostOfAttentionInputs,
    .decompose = DecomposeAttentionInputs,
    .shard = ShardAttentionInputs,
};

std::pair<Value, Value> AttentionInputs(GraphBuilder& b, const AttentionInputValues& in, double eps,
                                        const RopeParams& rope) {
  Node* node = b.Emit(kAttentionInputs, {in.kv, in.q, in.k, in.v, in.q_norm, in.k_norm, in.batch},
                      NormRopeAttrs(eps, rope));
  if (node == nullptr) return {};
  return {node->output(0), node->output(1)};
}

}  // namespace infer::ops
