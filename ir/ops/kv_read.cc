// SPDX-License-Identifier: Apache-2.0
#include "ir/ops/ops.h"

namespace infer::ops {
namespace {

constexpr InputSpec kInputsOfKvRead[] = {{"kv", TypeKind::kKv}, {"batch", TypeKind::kBatch}};

absl::StatusOr<Types> InferKvRead(const OpArgs& args) {
  const ValueType& kv = args.input(0);
  ValueType rows = ValueType::F32({Symbol::kS, kv.dim(0).value() * kv.dim(1).value()});
  return Types{rows, rows};
}

Cost CostOfKvRead(const OpArgs& args) {
  const TensorType& kv = args.input(0).tensor;
  double elements = static_cast<double>(kv.dim(0).value() * kv.dim(1).value());
  return {.flops = {}, .bytes = {.cs = 2 * elements * (4.0 + BytesPerElement(kv.dtype))}};
}

}  // namespace

constinit const OpDef kKvRead = {
    .name = "kv_read",
    .summary =
        "keys and values that the call's sequences see, one sequence after the other, as f32",
    .inputs = kInputsOfKvRead,
    .num_results = 2,
    .infer = InferKvRead,
    .cost = CostOfKvRead,
};

std::pair<Value, Value> KvRead(GraphBuilder& b, Value kv, Value batch) {
  Node* node = b.Emit(kKvRead, {kv, batch});
  if (node == nullptr) return {};
  return {node->output(0), node->output(1)};
}

}  // namespace infer::ops
