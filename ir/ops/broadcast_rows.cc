// SPDX-License-Identifier: Apache-2.0
#include "ir/ops/ops.h"

namespace infer::ops {
namespace {

constexpr InputSpec kInputsOfBroadcastRows[] = {{"x"}};
constexpr AttrSpec kAttrsOfBroadcastRows[] = {{"columns", AttrKind::kInt}};

absl::StatusOr<Types> InferBroadcastRows(const OpArgs& args) {
  ValueType result = args.input(0);
  if (!result.is_tensor(DType::kF32) || result.rank() >= Shape::kMaxRank) {
    return args.Error("x must be f32 of rank at most 3");
  }
  if (args.attr<int64_t>(0) < 1) return args.Error("columns must be positive");
  result.tensor.shape.Append(args.attr<int64_t>(0));
  return Types{result};
}

Cost CostOfBroadcastRows(const OpArgs& args) { return {.flops = {}, .bytes = IoBytes(args)}; }

}  // namespace

constinit const OpDef kBroadcastRows = {
    .name = "broadcast_rows",
    .summary = "each element of x repeated along a new last axis",
    .inputs = kInputsOfBroadcastRows,
    .attrs = kAttrsOfBroadcastRows,
    .traits = {.rowwise = true},
    .infer = InferBroadcastRows,
    .cost = CostOfBroadcastRows,
};

Value BroadcastRows(GraphBuilder& b, Value x, int64_t columns) {
  return b.EmitValue(kBroadcastRows, {x}, {columns});
}

}  // namespace infer::ops
