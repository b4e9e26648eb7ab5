// SPDX-License-Identifier: Apache-2.0
#include "ir/ops/ops.h"

namespace infer::ops {
namespace {

constexpr InputSpec kInputsOfRowSumSquares[] = {{"x"}};

absl::StatusOr<Types> InferRowSumSquares(const OpArgs& args) {
  const ValueType& x = args.input(0);
  if (!x.is_tensor(DType::kF32) || x.rank() < 2) return args.Error("x must be f32 rows");
  Shape shape;
  for (int axis = 0; axis + 1 < x.rank(); ++axis) shape.Append(x.dim(axis));
  return Types{ValueType::F32(shape)};
}

Cost CostOfRowSumSquares(const OpArgs& args) { return ElementwiseCost(args, 2); }

}  // namespace

constinit const OpDef kRowSumSquares = {
    .name = "row_sum_squares",
    .summary = "the sum of x*x over the last axis",
    .inputs = kInputsOfRowSumSquares,
    .traits = {.rowwise = true},
    .infer = InferRowSumSquares,
    .cost = CostOfRowSumSquares,
};

Value RowSumSquares(GraphBuilder& b, Value x) { return b.EmitValue(kRowSumSquares, {x}); }

}  // namespace infer::ops
