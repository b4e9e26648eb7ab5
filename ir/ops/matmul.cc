// SPDX-License-Identifier: Apache-2.0
#include "ir/ops/ops.h"

namespace infer::ops {
namespace {

constexpr InputSpec kInputsOfMatmul[] = {{"a"}, {"b"}};

absl::StatusOr<Types> InferMatmul(const OpArgs& args) {
  const ValueType& a = args.input(0);
  const ValueType& b = args.input(1);
  if (!a.is_tensor(DType::kF32) || !b.is_tensor(DType::kF32) || a.rank() != 2 || b.rank() != 2) {
    return args.Error("both inputs must be f32 of rank 2");
  }
  if (a.dim(1) != b.dim(0)) {
    return args.Error("a has " + ToString(a.dim(1)) + " columns, b has " + ToString(b.dim(0)) +
                      " rows");
  }
  return Types{ValueType::F32({a.dim(0), b.dim(1)})};
}

Cost CostOfMatmul(const OpArgs& args) {
  Shape products = args.input(0).tensor.shape;
  products.Append(args.input(1).dim(1));
  return {.flops = 2 * CountElements(products).value_or(SymbolicCount{}), .bytes = IoBytes(args)};
}

}  // namespace

constinit const OpDef kMatmul = {
    .name = "matmul",
    .summary = "the matrix product of two computed f32 matrices",
    .inputs = kInputsOfMatmul,
    .infer = InferMatmul,
    .cost = CostOfMatmul,
};

Value Matmul(GraphBuilder& b, Value a, Value x) { return b.EmitValue(kMatmul, {a, x}); }

}  // namespace infer::ops
