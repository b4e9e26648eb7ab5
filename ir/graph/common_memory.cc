// SPDX-License-Identifier: Apache-2.0
#include "ir/graph/common_memory.h"

#include <algorithm>

#include "ir/graph/plan.h"

namespace infer {
namespace {

// Whether the result of the collective is the columns of all ranks' inputs, side by side.
bool JoinsColumns(const Node& node) {
  if (!node.op().traits.collective) return false;
  const ValueType& part = node.input(0).type();
  const ValueType& whole = node.result().type;
  const int last = whole.rank() - 1;
  if (part.rank() != whole.rank() || last < 1) return false;
  for (int axis = 0; axis < last; ++axis) {
    if (part.dim(axis) != whole.dim(axis)) return false;
  }
  return part.dim(last) != whole.dim(last);
}

}  // namespace

bool IsCommon(const Node& node, Device space) {
  return node.op().traits.collective && space == Device::kCpu;
}

int InputInPlace(const Node& node, int i) {
  const int input = node.op().traits.shares_rows ? i : 0;
  if (!node.op().traits.shares_rows && !JoinsColumns(node)) return -1;
  const bool as_computed =
      node.input(input).type().tensor.dtype == node.result(i).type.tensor.dtype;
  return as_computed ? input : -1;
}

bool CanShareRows(const Node& node) {
  const OpTraits& traits = node.op().traits;
  if (!IsExecuted(node) || !traits.rowwise || traits.view || traits.collective) return false;
  // How a kernel rounds what it multiplies with weights may depend on the number of rows.
  if (traits.product_input >= 0 || traits.index_input >= 0) return false;
  const auto has_rows = [&](const ValueType& type) {
    if (!type.is_tensor(DType::kF32) || type.rank() < 2 || !type.dim(0).is_symbol()) return false;
    for (int axis = 1; axis < type.rank(); ++axis) {
      if (type.dim(axis).is_symbol()) return false;
    }
    return type.dim(0) == node.result().type.dim(0);
  };
  return std::ranges::all_of(node.ResultTypes(), has_rows) &&
         std::ranges::all_of(node.inputs(), [&](const Value& input) {
           return has_rows(input.type()) || (input.type().is_tensor() && input.type().rank() == 1 &&
                                             input.node->op().traits.weight);
         });
}

const Node* RowSharerOf(const Node& node) {
  if (!CanShareRows(node)) return nullptr;
  const Node* sharer = nullptr;
  for (int i = 0; i < node.num_results(); ++i) {
    if (node.uses(i).size() != 1) return nullptr;
    const Use use = node.uses(i)[0];
    if (use.user == nullptr || !use.user->op().traits.shares_rows || use.input != i) return nullptr;
    if (i > 0 && use.user != sharer) return nullptr;
    sharer = use.user;
  }
  const bool reads_all = static_cast<int>(sharer->inputs().size()) == node.num_results();
  return reads_all ? sharer : nullptr;
}

uint64_t CommonBytes(const Plan& plan, std::span<Node* const> nodes) {
  uint64_t bytes = 0;
  for (const Slot& slot : plan.slots) {
    if (!IsCommon(*nodes[slot.value.node], slot.space)) continue;
    bytes = std::max(bytes, slot.offset + slot.bytes);
  }
  return bytes;
}

std::vector<int32_t> RankMeetings(const Plan& plan, std::span<Node* const> nodes) {
  std::vector<bool> meets;
  for (const Segment& segment : plan.segments) {
    for (const Step& step : segment.steps) {
      meets.push_back(step.node >= 0 && nodes[step.node]->op().traits.collective);
    }
  }
  std::vector<int32_t> met(meets.size());
  int32_t next = static_cast<int32_t>(meets.size());
  for (size_t i = meets.size(); i-- > 0;) {
    met[i] = next;
    if (meets[i]) next = static_cast<int32_t>(i);
  }
  return met;
}

}  // namespace infer
