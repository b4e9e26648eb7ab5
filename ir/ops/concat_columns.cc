// SPDX-License-Identifier: Apache-2.0
#include "ir/ops/ops.h"

namespace infer::ops {
namespace {

constexpr InputSpec kInputsOfConcatColumns[] = {{"parts", TypeKind::kTensor, true}};

absl::StatusOr<Types> InferConcatColumns(const OpArgs& args) {
  int64_t columns = 0;
  for (const ValueType& part : args.inputs) {
    if (!part.is_tensor(DType::kF32) || part.rank() != 2 || part.dim(1).is_symbol()) {
      return args.Error("parts must be f32 of rank 2 with a fixed number of columns");
    }
    if (part.dim(0) != args.input(0).dim(0)) return args.Error("parts differ in rows");
    columns += part.dim(1).value();
  }
  return Types{ValueType::F32({args.input(0).dim(0), columns})};
}

Cost CostOfConcatColumns(const OpArgs& args) { return {.flops = {}, .bytes = IoBytes(args)}; }

}  // namespace

constinit const OpDef kConcatColumns = {
    .name = "concat_columns",
    .summary = "the columns of all parts side by side",
    .inputs = kInputsOfConcatColumns,
    .traits = {.rowwise = true},
    .infer = InferConcatColumns,
    .cost = CostOfConcatColumns,
};

Value ConcatColumns(GraphBuilder& b, std::vector<Value> parts) {
  return b.EmitValue(kConcatColumns, std::move(parts));
}

}  // namespace infer::ops
