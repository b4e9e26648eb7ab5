// SPDX-License-Identifier: Apache-2.0
#include "runtime/operand_table.h"

#include <string>

#include "ir/base/status_macros.h"
#include "ir/base/strings.h"
#include "ir/ops/attributes.h"

namespace infer {
namespace {

// A cache value is the state itself however often it was written.
int64_t StateId(Value value) {
  while (!value.node->op().traits.state) {
    value = value.node->input(value.node->op().traits.aliases_input);
  }
  return StateId(*value.node);
}

}  // namespace

OperandTable::OperandTable(const Graph& graph, std::byte* arena, const WeightSource& weights,
                           const PackedWeights& packed, std::span<const KvView> states)
    : arena_(arena), weights_(weights), packed_(packed), states_(states) {
  int32_t position = 0;
  for (const Node* node : graph.nodes()) positions_[node] = position++;
  for (const Slot& slot : graph.plan()->slots) offsets_[slot.value] = slot.offset;
}

absl::StatusOr<Operand> OperandTable::Make(Value value, std::string_view layout) const {
  const ValueType& type = value.type();
  Operand operand;
  if (type.kind == TypeKind::kBatch) return operand;
  if (type.kind == TypeKind::kKv) {
    operand.kv = states_[StateId(value)];
    return operand;
  }
  operand.tensor.dtype = type.tensor.dtype;
  operand.tensor.rank = type.rank();
  for (int axis = 0; axis < type.rank(); ++axis) {
    if (!type.dim(axis).is_symbol()) operand.tensor.dims[axis] = type.dim(axis).value();
  }
  if (value.node->op().traits.weight) {
    const WeightInfo* weight = weights_.Find(WeightName(*value.node));
    RETURN_IF_ERROR(CheckWeight(*value.node, weight));
    const std::byte* data = packed_.Find(weight->name, std::string(layout));
    if (data == nullptr) data = weights_.Data(*weight).data();
    // Kernels read weights through const accessors only.
    operand.tensor.data = const_cast<std::byte*>(data);
  } else {
    operand.tensor.data = arena_ + offsets_.at({positions_.at(value.node), value.index});
  }
  return operand;
}

// Kernels trust shapes: a weight of another one must not get as far as them, whatever the caller
// compared before.
absl::Status OperandTable::CheckWeight(const Node& node, const WeightInfo* found) const {
  const std::string& name = WeightName(node);
  if (found == nullptr) {
    return absl::InvalidArgumentError(StrCat("weight ", name, " is not in the model file"));
  }
  ValueType type{TypeKind::kTensor, TypeOf(*found)};
  if (type == node.result().type && weights_.Data(*found).size() == found->bytes &&
      BytesAt(type.tensor, {}) == found->bytes) {
    return absl::OkStatus();
  }
  return absl::InvalidArgumentError(StrCat("weight ", name, " is ", ToString(type),
                                           " in the model file, the program wants ",
                                           ToString(node.result().type)));
}

}  // namespace infer
