// SPDX-License-Identifier: Apache-2.0
#include "ir/ops/ops.h"

namespace infer::ops {
namespace {

constexpr InputSpec kInputsOfLinear[] = {{"x"}, {"weight"}};

absl::StatusOr<Types> InferLinear(const OpArgs& args) {
  const ValueType& x = args.input(0);
  const ValueType& weight = args.input(1);
  // bf16: as a kernel that takes f32 would round it.
  const bool is_float = x.is_tensor(DType::kF32) || x.is_tensor(DType::kBF16);
  if (!is_float || x.rank() != 2) return args.Error("x must be f32 or bf16, of rank 2");
  if (weight.rank() != 2) return args.Error("weight must have rank 2");
  if (weight.dim(1) != x.dim(1)) {
    return args.Error("weight has " + ToString(weight.dim(1)) + " columns, x has " +
                      ToString(x.dim(1)));
  }
  return Types{ValueType::F32({x.dim(0), weight.dim(0)})};
}

Cost CostOfLinear(const OpArgs& args) {
  Shape products = args.input(0).tensor.shape;
  products.Append(args.input(1).dim(0));
  return {.flops = 2 * CountElements(products).value_or(SymbolicCount{}), .bytes = IoBytes(args)};
}

std::vector<ShardStrategy> ShardLinear(const OpArgs& args) {
  const ValueType& weight = args.input(1);
  if (weight.dim(0).is_symbol() || weight.dim(1).is_symbol()) return {};
  const int64_t block = Info(weight.tensor.dtype).block_elements;
  return {{.inputs = {Sharding::Split(1), Sharding::Split(1)},
           .results = {Sharding::Partial()},
           .units = UnitsOfColumns(weight.dim(1).value(), block),
           .unit_name = "blocks of inner elements",
           .reason = "each rank has the columns of x that its part of the weight needs",
           .is_exact = false},
          {.inputs = {Sharding::Replicated(), Sharding::Split(0)},
           .results = {Sharding::Split(1)},
           .units = UnitsOfColumns(weight.dim(0).value()),
           .unit_name = "groups of 16 columns",
           .reason = "each column by itself"}};
}

}  // namespace

constinit const OpDef kLinear = {
    .name = "linear",
    .summary = "x times the transposed weight, which has a row per output",
    .inputs = kInputsOfLinear,
    .traits = {.rowwise = true, .product_input = 0},
    .infer = InferLinear,
    .cost = CostOfLinear,
    .shard = ShardLinear,
};

Value Linear(GraphBuilder& b, Value x, Value weight) { return b.EmitValue(kLinear, {x, weight}); }

}  // namespace infer::ops
