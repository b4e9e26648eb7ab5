// SPDX-License-Identifier: Apache-2.0
#include "ir/ops/ops.h"

namespace infer::ops {
namespace {

constexpr InputSpec kInputsOfKvWrite[] = {
    {"kv", TypeKind::kKv}, {"k"}, {"v"}, {"batch", TypeKind::kBatch}};

// Accepts k and v split into heads ([T, kv_heads, head_dim]) or as plain rows.
absl::StatusOr<Types> InferKvWrite(const OpArgs& args) {
  const ValueType& kv = args.input(0);
  double row_elements = static_cast<double>(kv.dim(0).value() * kv.dim(1).value());
  for (int i : {1, 2}) {
    const ValueType& rows = args.input(i);
    Shape row = rows.tensor.shape;
    if (!rows.is_tensor(DType::kF32) || row.rank() < 2) {
      return args.Error("k and v must be f32 rows");
    }
    row.set_dim(0, 1);
    if (CountElements(row) != SymbolicCount{.c0 = row_elements}) {
      return args.Error("a row of k and v must have kv_heads * head_dim elements");
    }
    if (rows.dim(0) != Dim(Symbol::kT)) {
      return args.Error("k and v must have one row for each token of the batch (T)");
    }
  }
  return Types{kv};
}

Cost CostOfKvWrite(const OpArgs& args) {
  double stored_bytes = BytesPerElement(args.input(0).tensor.dtype);
  SymbolicCount elements = CountElements(args.input(1).tensor.shape).value_or(SymbolicCount{});
  return {.flops = {}, .bytes = 2 * (4 + stored_bytes) * elements};
}

std::vector<ShardStrategy> ShardKvWrite(const OpArgs& args) {
  return {{.inputs = {Sharding::Split(0), Sharding::Split(1), Sharding::Split(1),
                      Sharding::Replicated()},
           .results = {Sharding::Split(0)},
           .units = args.input(0).dim(0).value(),
           .unit_name = "key/value heads",
           .reason = "each head by itself"}};
}

}  // namespace

constinit const OpDef kKvWrite = {
    .name = "kv_write",
    .summary = "stores k and v at the batch's slots; the result is the cache itself",
    .inputs = kInputsOfKvWrite,
    .traits = {.aliases_input = 0},
    .infer = InferKvWrite,
    .cost = CostOfKvWrite,
    .shard = ShardKvWrite,
};

Value KvWrite(GraphBuilder& b, Value kv, Value k, Value v, Value batch) {
  return b.EmitValue(kKvWrite, {kv, k, v, batch});
}

}  // namespace infer::ops
