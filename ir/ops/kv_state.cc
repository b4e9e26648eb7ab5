// SPDX-License-Identifier: Apache-2.0
#include "ir/base/strings.h"
#include "ir/ops/ops.h"

namespace infer {

int64_t StateId(const Node& node) { return node.attr<int64_t>(0); }

namespace ops {
namespace {

constexpr AttrSpec kAttrsOfKvState[] = {{"id", AttrKind::kInt}};

absl::StatusOr<Types> InferKvState(const OpArgs& args) {
  if (args.declared.size() != 1 || args.declared[0].kind != TypeKind::kKv) {
    return args.Error("must declare one kv type");
  }
  const TensorType& kv = args.declared[0].tensor;
  if (kv.rank() != 2 || kv.dim(0).is_symbol() || kv.dim(1).is_symbol()) {
    return args.Error("a kv type must be kv<dtype[kv_heads,head_dim]>");
  }
  const int64_t block = Info(kv.dtype).block_elements;
  if (kv.dim(1).value() % block != 0) {
    return args.Error(StrCat("head size ", kv.dim(1).value(), " is not a multiple of ", block,
                             ", the block size of ", Name(kv.dtype), "; store the cache in f16"));
  }
  if (args.attr<int64_t>(0) < 0) return args.Error("id must not be negative");
  return Types{args.declared[0]};
}

}  // namespace

constinit const OpDef kKvState = {
    .name = "kv_state",
    .summary = "the cache of a layer as it was before the call",
    .attrs = kAttrsOfKvState,
    .traits = {.state = true, .declares_types = true},
    .infer = InferKvState,
};

Value KvState(GraphBuilder& b, int64_t id, ValueType type) {
  return b.EmitValue(kKvState, {}, {id}, {type});
}

}  // namespace ops
}  // namespace infer
