// SPDX-License-Identifier: Apache-2.0
#include "ir/base/strings.h"
#include "ir/ops/ops.h"

namespace infer {

const std::string& WeightName(const Node& node) { return node.attr<std::string>(0); }

WeightSlice SliceOf(const Node& node) {
  return {static_cast<int32_t>(node.attr<int64_t>(1)), static_cast<int32_t>(node.attr<int64_t>(2))};
}

std::string WeightKey(const std::string& name, const WeightSlice& slice) {
  return slice.parts == 0 ? name : StrCat(name, "[", slice.axis, "/", slice.parts, "]");
}

std::string WeightKey(const Node& node) { return WeightKey(WeightName(node), SliceOf(node)); }

namespace ops {
namespace {

// With `parts`, a rank has its part of the tensor along `axis`. `shard` says why the tensor is
// divided like this, or why not.
constexpr AttrSpec kAttrsOfWeight[] = {{"name", AttrKind::kString},
                                       {"axis", AttrKind::kInt, /*optional=*/true},
                                       {"parts", AttrKind::kInt, /*optional=*/true},
                                       {"shard", AttrKind::kString, /*optional=*/true}};

absl::StatusOr<Types> InferWeight(const OpArgs& args) {
  if (args.declared.size() != 1 || !args.declared[0].is_tensor()) {
    return args.Error("must declare one tensor type");
  }
  for (Dim dim : args.declared[0].tensor.shape) {
    if (dim.is_symbol()) return args.Error("dimensions of a weight must be numbers, not symbols");
  }
  if (!BytesAt(args.declared[0].tensor, {})) return args.Error("rows must be whole blocks");
  const int64_t axis = args.attr<int64_t>(1), parts = args.attr<int64_t>(2);
  if (parts == 0 && axis != 0) return args.Error("has an axis but no parts");
  if (parts != 0 &&
      (parts < 2 || parts > kMaxRanks || axis < 0 || axis >= args.declared[0].rank() ||
       args.declared[0].dim(static_cast<int>(axis)).value() > kMaxDim / parts)) {
    return args.Error(StrCat("cannot be part of ", parts, " along axis ", axis));
  }
  return Types{args.declared[0]};
}

}  // namespace

constinit const OpDef kWeight = {
    .name = "weight",
    .summary = "a tensor of the model file",
    .attrs = kAttrsOfWeight,
    .traits = {.weight = true, .declares_types = true},
    .infer = InferWeight,
};

Value WeightRef(GraphBuilder& b, std::string name, ValueType type) {
  Value value = b.EmitValue(kWeight, {}, {name, int64_t{0}, int64_t{0}, std::string()}, {type});
  if (value) value.node->result().name = std::move(name);
  return value;
}

void SetShardReason(Node* weight, std::string reason) { weight->set_attr(3, std::move(reason)); }

Value WeightPart(GraphBuilder& b, const Node& whole, int axis, int64_t ranks, std::string reason) {
  ValueType type = whole.result().type;
  type.tensor.shape.set_dim(axis, type.dim(axis).value() / ranks);
  Value value = b.EmitValue(kWeight, {},
                            {WeightName(whole), int64_t{axis}, ranks, std::move(reason)}, {type});
  if (value) value.node->result().name = WeightName(whole);
  return value;
}

}  // namespace ops
}  // namespace infer
