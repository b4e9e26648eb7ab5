// SPDX-License-Identifier: Apache-2.0
#include "ir/ops/ops.h"

namespace infer {

const std::string& WeightName(const Node& node) { return node.attr<std::string>(0); }

namespace ops {
namespace {

constexpr AttrSpec kAttrs[] = {{"name", AttrKind::kString}};

absl::StatusOr<Types> Infer(const OpArgs& args) {
  if (args.declared.size() != 1 || !args.declared[0].is_tensor()) {
    return args.Error("must declare one tensor type");
  }
  for (Dim dim : args.declared[0].tensor.shape) {
    if (dim.is_symbol()) return args.Error("dimensions of a weight must be numbers, not symbols");
  }
  if (!BytesAt(args.declared[0].tensor, {})) return args.Error("rows must be whole blocks");
  return Types{args.declared[0]};
}

}  // namespace

constinit const OpDef kWeight = {
    .name = "weight",
    .summary = "a tensor of the model file",
    .attrs = kAttrs,
    .traits = {.weight = true, .declares_types = true},
    .infer = Infer,
};

Value WeightRef(GraphBuilder& b, std::string name, ValueType type) {
  Value value = b.EmitValue(kWeight, {}, {name}, {type});
  if (value) value.node->result().name = std::move(name);
  return value;
}

}  // namespace ops
}  // namespace infer
