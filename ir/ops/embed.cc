// SPDX-License-Identifier: Apache-2.0
#include "ir/ops/ops.h"

namespace infer::ops {
namespace {

constexpr InputSpec kInputsOfEmbed[] = {{"table"}, {"tokens"}};

absl::StatusOr<Types> InferEmbed(const OpArgs& args) {
  const ValueType& table = args.input(0);
  const ValueType& tokens = args.input(1);
  if (table.rank() != 2) return args.Error("table must have rank 2");
  if (!tokens.is_tensor(DType::kI32) || tokens.rank() != 1) {
    return args.Error("tokens must be i32 of rank 1");
  }
  return Types{ValueType::F32({tokens.dim(0), table.dim(1)})};
}

// Only the rows requested are read, not the whole table.
Cost CostOfEmbed(const OpArgs& args) {
  ValueType rows = args.input(0);
  rows.tensor.shape.set_dim(0, args.input(1).dim(0));
  SymbolicCount elements = CountElements(rows.tensor.shape).value_or(SymbolicCount{});
  return {.flops = elements, .bytes = CountBytes(rows) + 4 * elements};
}

// By columns: a rank then has a part of every row, whichever tokens occur.
std::vector<ShardStrategy> ShardEmbed(const OpArgs& args) {
  const ValueType& table = args.input(0);
  if (table.dim(1).is_symbol()) return {};
  return {{.inputs = {Sharding::Split(1), Sharding::Replicated()},
           .results = {Sharding::Split(1)},
           .units = UnitsOfColumns(table.dim(1).value(), Info(table.tensor.dtype).block_elements),
           .unit_name = "blocks of columns",
           .reason = "each column by itself"}};
}

}  // namespace

constinit const OpDef kEmbed = {
    .name = "embed",
    .summary = "row tokens[t] of the table, as f32",
    .inputs = kInputsOfEmbed,
    .traits = {.rowwise = true, .index_input = 1},
    .infer = InferEmbed,
    .cost = CostOfEmbed,
    .shard = ShardEmbed,
};

Value Embed(GraphBuilder& b, Value table, Value tokens) {
  return b.EmitValue(kEmbed, {table, tokens});
}

}  // namespace infer::ops
