// SPDX-License-Identifier: Apache-2.0
#include "ir/ops/ops.h"

namespace infer::ops {
namespace {

constexpr InputSpec kInputsOfTranspose[] = {{"x"}};

absl::StatusOr<Types> InferTranspose(const OpArgs& args) {
  const ValueType& x = args.input(0);
  if (!x.is_tensor(DType::kF32) || x.rank() != 2) return args.Error("x must be f32 of rank 2");
  return Types{ValueType::F32({x.dim(1), x.dim(0)})};
}

Cost CostOfTranspose(const OpArgs& args) { return {.flops = {}, .bytes = IoBytes(args)}; }

}  // namespace

constinit const OpDef kTranspose = {
    .name = "transpose",
    .summary = "rows become columns",
    .inputs = kInputsOfTranspose,
    .infer = InferTranspose,
    .cost = CostOfTranspose,
};

Value Transpose(GraphBuilder& b, Value x) { return b.EmitValue(kTranspose, {x}); }

}  // namespace infer::ops
