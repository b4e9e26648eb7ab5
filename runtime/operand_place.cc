// SPDX-License-Identifier: Apache-2.0
#include "runtime/operand_place.h"

#include <string>

#include "ir/base/status_macros.h"
#include "ir/base/strings.h"
#include "ir/graph/plan.h"
#include "ir/ops/attributes.h"

namespace infer {
namespace {

// A cache value refers to the state itself, however often it was written.
int64_t StateId(Value value) {
  while (!value.node->op().traits.state) {
    value = value.node->input(value.node->op().traits.aliases_input);
  }
  return StateId(*value.node);
}

}  // namespace

OperandPlaces::OperandPlaces(const Graph& graph, const PackedWeights& weights,
                             const KernelRegistry& registry)
    : weights_(weights), registry_(registry) {
  int32_t position = 0;
  for (const Node* node : graph.nodes()) positions_[node] = position++;
  for (const Slot& slot : graph.plan()->slots) offsets_[{slot.value, slot.space}] = slot.offset;
}

absl::StatusOr<OperandPlace> OperandPlaces::Of(Value value, Device space,
                                               std::string_view layout) const {
  const ValueType& type = value.type();
  OperandPlace place{.space = space};
  if (type.kind == TypeKind::kBatch) return place;
  if (type.kind == TypeKind::kKv) {
    place.kind = OperandPlace::Kind::kState;
    place.state = static_cast<int32_t>(StateId(value));
    return place;
  }
  place.tensor.dtype = type.tensor.dtype;
  place.tensor.rank = type.rank();
  for (int axis = 0; axis < type.rank(); ++axis) {
    if (!type.dim(axis).is_symbol()) place.tensor.dims[axis] = type.dim(axis).value();
  }
  if (!value.node->op().traits.weight) {
    place.kind = OperandPlace::Kind::kArena;
    place.offset = offsets_.at({{positions_.at(value.node), value.index}, space});
    return place;
  }
  place.kind = OperandPlace::Kind::kWeight;
  const WeightSource& source = weights_.source();
  const WeightInfo* weight = source.Find(WeightKey(*value.node));
  RETURN_IF_ERROR(CheckWeight(*value.node, weight));
  const std::byte* data =
      weights_.Find(weight->name, std::string(layout), registry_.memory(space).get());
  if (data == nullptr && space == Device::kCpu) data = source.Data(*weight).data();
  if (data == nullptr) {
    return absl::InternalError(
        StrCat("weight ", weight->name, " is not in the memory of ", Name(space)));
  }
  // Kernels read weights only through const accessors.
  place.tensor.data = const_cast<std::byte*>(data);
  return place;
}

// Kernels trust shapes, so a weight of the wrong shape must not reach them, whatever the caller
// checked before.
absl::Status OperandPlaces::CheckWeight(const Node& node, const WeightInfo* found) const {
  const std::string name = WeightKey(node);
  if (found == nullptr) {
    return absl::InvalidArgumentError(StrCat("weight ", name, " is not in the model file"));
  }
  ValueType type{TypeKind::kTensor, TypeOf(*found)};
  if (type == node.result().type && weights_.source().DataBytes(*found) == found->bytes &&
      BytesAt(type.tensor, {}) == found->bytes) {
    return absl::OkStatus();
  }
  return absl::InvalidArgumentError(StrCat("weight ", name, " is ", ToString(type),
                                           " in the model file, the program expects ",
                                           ToString(node.result().type)));
}

}  // namespace infer
