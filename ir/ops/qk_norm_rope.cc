// SPDX-License-Identifier: Apache-2.0
#include "ir/base/status_macros.h"
#include "ir/base/strings.h"
#include "ir/ops/rope_attrs.h"

namespace infer::ops {
namespace {

constexpr InputSpec kInputsOfQkNormRope[] = {
    {"q"}, {"k"}, {"q_norm"}, {"k_norm"}, {"batch", TypeKind::kBatch}};

absl::StatusOr<Types> InferQkNormRope(const OpArgs& args) {
  ASSIGN_OR_RETURN(ValueType q, InferHeads(args, "q", args.input(0), args.input(2)));
  ASSIGN_OR_RETURN(ValueType k, InferHeads(args, "k", args.input(1), args.input(3)));
  RETURN_IF_ERROR(CheckRope(args, NormRopeOf(args.attrs).rope, q.dim(2).value()));
  return Types{q, k};
}

// 4 operations per element for the norm, 3 for the rotation.
Cost CostOfQkNormRope(const OpArgs& args) {
  SymbolicCount q = CountElements(args.input(0).tensor.shape).value_or(SymbolicCount{});
  SymbolicCount k = CountElements(args.input(1).tensor.shape).value_or(SymbolicCount{});
  return {.flops = 7 * (q + k), .bytes = IoBytes(args)};
}

std::vector<Value> DecomposeQkNormRope(GraphBuilder& b, const Node& node) {
  const NormRopeParams params = NormRopeOf(node.attrs());
  std::vector<Value> results;
  for (int i : {0, 1}) {
    const ValueType& type = node.result(i).type;
    Value heads = Reshape(b, node.input(i), {0, type.dim(1).value(), type.dim(2).value()});
    Value normed = RmsNorm(b, heads, node.input(2 + i), params.eps);
    results.push_back(Rope(b, normed, node.input(4), params.rope));
  }
  return results;
}

std::vector<ShardStrategy> ShardQkNormRope(const OpArgs& args) {
  const int64_t head_dim = args.input(3).dim(0).value();
  return {{.inputs = {Sharding::Split(1), Sharding::Split(1), Sharding::Replicated(),
                      Sharding::Replicated(), Sharding::Replicated()},
           .results = {Sharding::Split(1), Sharding::Split(1)},
           .units = args.input(1).dim(1).value() / head_dim,
           .unit_name = "key/value heads",
           .reason = "each head by itself"}};
}

}  // namespace

constinit const OpDef kQkNormRope = {
    .name = "qk_norm_rope",
    .summary = "splits q and k into heads, norms each head and rotates it by its position",
    .family = "rope",
    .inputs = kInputsOfQkNormRope,
    .attrs = kNormRopeAttrs,
    .num_results = 2,
    .traits = {.rowwise = true, .in_place_input = 0},
    .infer = InferQkNormRope,
    .cost = CostOfQkNormRope,
    .decompose = DecomposeQkNormRope,
    .shard = ShardQkNormRope,
};

std::pair<Value, Value> QkNormRope(GraphBuilder& b, Value q, Value k, Value q_norm, Value k_norm,
                                   Value batch, double eps, const RopeParams& rope) {
  Node* node = b.Emit(kQkNormRope, {q, k, q_norm, k_norm, batch}, NormRopeAttrs(eps, rope));
  if (node == nullptr) return {};
  return {node->output(0), node->output(1)};
}

}  // namespace infer::ops
