// SPDX-License-Identifier: Apache-2.0
#include "ir/ops/ops.h"

namespace infer::ops {
namespace {

constexpr InputSpec kInputsOfArgmax[] = {{"x"}};

absl::StatusOr<Types> InferArgmax(const OpArgs& args) {
  const ValueType& x = args.input(0);
  if (!x.is_tensor(DType::kF32) || x.rank() != 2) return args.Error("x must be f32 of rank 2");
  return Types{ValueType::Tensor(DType::kI32, {x.dim(0)}), ValueType::F32({x.dim(0)})};
}

Cost CostOfArgmax(const OpArgs& args) { return ElementwiseCost(args, 5); }

}  // namespace

constinit const OpDef kArgmax = {
    .name = "argmax",
    .summary = "index of the largest element of each row, and its probability under softmax",
    .inputs = kInputsOfArgmax,
    .num_results = 2,
    .traits = {.rowwise = true},
    .infer = InferArgmax,
    .cost = CostOfArgmax,
};

std::pair<Value, Value> Argmax(GraphBuilder& b, Value x) {
  Node* node = b.Emit(kArgmax, {x});
  if (node == nullptr) return {};
  return {node->output(0), node->output(1)};
}

}  // namespace infer::ops
