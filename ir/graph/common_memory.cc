// SPDX-License-Identifier: Apache-2.0
#include "ir/graph/common_memory.h"

#include <algorithm>

namespace infer {

bool IsCommon(const Node& node, Device space) {
  return node.op().traits.collective && space == Device::kCpu;
}

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
