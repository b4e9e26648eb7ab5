// SPDX-License-Identifier: Apache-2.0
#include "ir/ops/ops.h"

namespace infer::ops {
namespace {

constexpr InputSpec kInputsOfGatherRows[] = {{"x"}, {"rows"}};

absl::StatusOr<Types> InferGatherRows(const OpArgs& args) {
  const ValueType& x = args.input(0);
  const ValueType& rows = args.input(1);
  if (!x.is_tensor(DType::kF32) || x.rank() != 2) return args.Error("x must be f32 of rank 2");
  if (!rows.is_tensor(DType::kI32) || rows.rank() != 1) {
    return args.Error("rows must be i32 of rank 1");
  }
  return Types{ValueType::F32({rows.dim(0), x.dim(1)})};
}

Cost CostOfGatherRows(const OpArgs& args) {
  ValueType rows = args.input(0);
  rows.tensor.shape.set_dim(0, args.input(1).dim(0));
  return {.flops = {}, .bytes = 2 * CountBytes(rows)};
}

}  // namespace

constinit const OpDef kGatherRows = {
    .name = "gather_rows",
    .summary = "row rows[i] of x",
    .inputs = kInputsOfGatherRows,
    .traits = {.index_input = 1},
    .infer = InferGatherRows,
    .cost = CostOfGatherRows,
};

Value GatherRows(GraphBuilder& b, Value x, Value rows) {
  return b.EmitValue(kGatherRows, {x, rows});
}

}  // namespace infer::ops
