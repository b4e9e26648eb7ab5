// SPDX-License-Identifier: Apache-2.0
#include "ir/ops/ops.h"

namespace infer::ops {
namespace {

constexpr InputSpec kInputsOfCombine[] = {{"x"}, {"weights"}};

absl::StatusOr<Types> InferCombine(const OpArgs& args) {
  const ValueType& x = args.input(0);
  const ValueType& weights = args.input(1);
  if (!x.is_tensor(DType::kF32) || x.rank() != 3 || x.dim(1).is_symbol() || x.dim(2).is_symbol()) {
    return args.Error("x must be f32 of rank 3 with rows of a known length");
  }
  if (!weights.is_tensor(DType::kF32) || weights.rank() != 2 || weights.dim(0) != x.dim(0) ||
      weights.dim(1) != x.dim(1)) {
    return args.Error("weights must be f32 with an element for each row of x");
  }
  return Types{ValueType::F32({x.dim(0), x.dim(2)})};
}

Cost CostOfCombine(const OpArgs& args) { return ElementwiseCost(args, 2); }

// The rows of a token are added in their order.
std::vector<Value> DecomposeCombine(GraphBuilder& b, const Node& node) {
  Value x = node.input(0);
  const int64_t parts = x.type().dim(1).value();
  const int64_t columns = x.type().dim(2).value();
  Value weighted = Mul(b, x, BroadcastRows(b, node.input(1), columns));
  weighted = Reshape(b, weighted, {0, parts * columns});
  Value sum = SliceColumns(b, weighted, 0, columns);
  for (int64_t i = 1; i < parts; ++i) {
    sum = Add(b, sum, SliceColumns(b, weighted, i * columns, columns));
  }
  return {sum};
}

std::vector<ShardStrategy> ShardCombine(const OpArgs& args) {
  return {{.inputs = {Sharding::Partial(), Sharding::Replicated()},
           .results = {Sharding::Partial()},
           .reason = "a sum of terms is the sum of the ranks' terms",
           .is_exact = false},
          {.inputs = {Sharding::Split(2), Sharding::Replicated()},
           .results = {Sharding::Split(1)},
           .units = args.input(0).dim(2).value(),
           .unit_name = "columns",
           .reason = "each column by itself"}};
}

}  // namespace

constinit const OpDef kCombine = {
    .name = "combine",
    .summary = "the sum of each token's rows of x, each times its weight",
    .inputs = kInputsOfCombine,
    .traits = {.rowwise = true},
    .infer = InferCombine,
    .cost = CostOfCombine,
    .decompose = DecomposeCombine,
    .shard = ShardCombine,
};

Value Combine(GraphBuilder& b, Value x, Value weights) {
  return b.EmitValue(kCombine, {x, weights});
}

}  // namespace infer::ops
