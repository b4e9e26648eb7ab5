// SPDX-License-Identifier: Apache-2.0
#include "runtime/cpu_layout.h"

#include <algorithm>

#include "ir/base/hash.h"
#include "ir/graph/common_memory.h"
#include "ir/graph/node_name.h"
#include "ir/graph/plan.h"
#include "runtime/shared_ranks.h"

namespace infer {

CpuLayout::CpuLayout(const Program& program) {
  Hasher hasher;
  for (const Regime& regime : program.regimes) {
    const Plan& plan = *regime.graph.plan();
    const std::vector<Node*> nodes = regime.graph.nodes();
    const uint64_t bytes = CommonBytes(plan, nodes);
    common = std::max(common, bytes);
    hasher.Add(uint64_t(regime.max_tokens)).Add(bytes);
    for (const Slot& slot : plan.slots) {
      const Node& node = *nodes[slot.value.node];
      if (!IsCommon(node, slot.space)) continue;
      const ValueType& type = node.result(slot.value.result).type;
      hasher.Add(NodeName(node)).Add(ToString(type)).Add(slot.offset).Add(slot.bytes);
    }
    for (const Arena& arena : plan.arenas) {
      if (arena.space == Device::kCpu) own = std::max(own, arena.bytes - bytes);
    }
  }
  constexpr uint64_t kWhole = SharedRanks::kCommonAlignment;
  common = (common + kWhole - 1) / kWhole * kWhole;
  hash = hasher.Finish();
}

uint64_t CpuLayout::BeginOf(const Graph& graph) const {
  return common - CommonBytes(*graph.plan(), graph.nodes());
}

}  // namespace infer
