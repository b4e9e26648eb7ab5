// SPDX-License-Identifier: Apache-2.0
#include "ir/ops/ops.h"

namespace infer::ops {
namespace {

constexpr InputSpec kInputsOfSelectRows[] = {{"x"}, {"batch", TypeKind::kBatch}};

absl::StatusOr<Types> InferSelectRows(const OpArgs& args) {
  ValueType result = args.input(0);
  const bool has_type = result.is_tensor(DType::kF32) || result.is_tensor(DType::kI32);
  if (!has_type || result.rank() < 2 || result.dim(0) != Dim(Symbol::kT)) {
    return args.Error("x must be f32 or i32 with a row per token");
  }
  result.tensor.shape.set_dim(0, Symbol::kR);
  return Types{result};
}

Cost CostOfSelectRows(const OpArgs& args) {
  absl::StatusOr<Types> result = InferSelectRows(args);
  return {.flops = {}, .bytes = result.ok() ? 2 * CountBytes((*result)[0]) : SymbolicCount{}};
}

std::vector<ShardStrategy> ShardSelectRows(const OpArgs& args) {
  if (args.input(0).rank() != 2) return {};
  return {{.inputs = {Sharding::Split(1), Sharding::Replicated()},
           .results = {Sharding::Split(1)},
           .units = args.input(0).dim(1).value(),
           .unit_name = "columns",
           .reason = "rows are taken whole or in part"}};
}

}  // namespace

constinit const OpDef kSelectRows = {
    .name = "select_rows",
    .summary = "the rows of the tokens whose logits the batch requests",
    .inputs = kInputsOfSelectRows,
    .infer = InferSelectRows,
    .cost = CostOfSelectRows,
    .shard = ShardSelectRows,
};

Value SelectRows(GraphBuilder& b, Value x, Value batch) {
  return b.EmitValue(kSelectRows, {x, batch});
}

}  // namespace infer::ops
