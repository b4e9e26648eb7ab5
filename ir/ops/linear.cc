// SPDX-License-Identifier: Apache-2.0
#include "ir/ops/ops.h"

namespace infer::ops {
namespace {

constexpr InputSpec kInputs[] = {{"x"}, {"weight"}};

absl::StatusOr<Types> Infer(const OpArgs& args) {
  const ValueType& x = args.input(0);
  const ValueType& weight = args.input(1);
  if (!x.is_tensor(DType::kF32) || x.rank() != 2) return args.Error("x must be f32 of rank 2");
  if (weight.rank() != 2) return args.Error("weight must have rank 2");
  if (weight.dim(1) != x.dim(1)) {
    return args.Error("weight has " + ToString(weight.dim(1)) + " columns, x has " +
                      ToString(x.dim(1)));
  }
  return Types{ValueType::F32({x.dim(0), weight.dim(0)})};
}

Cost CostOfNode(const OpArgs& args) {
  Shape products = args.input(0).tensor.shape;
  products.Append(args.input(1).dim(0));
  return {.flops = 2 * CountElements(products).value_or(SymbolicCount{}), .bytes = IoBytes(args)};
}

}  // namespace

constinit const OpDef kLinear = {
    .name = "linear",
    .summary = "x times the transposed weight, which has a row per output",
    .inputs = kInputs,
    .traits = {.rowwise = true},
    .infer = Infer,
    .cost = CostOfNode,
};

Value Linear(GraphBuilder& b, Value x, Value weight) { return b.EmitValue(kLinear, {x, weight}); }

}  // namespace infer::ops
