// SPDX-License-Identifier: Apache-2.0
#include "runtime/joined_columns.h"

#include <unordered_map>
#include <utility>

#include "ir/graph/common_memory.h"

namespace infer {
namespace {

bool HasStridedRows(const Node& node, const KernelRegistry& registry) {
  const KernelInfo* kernel = registry.kernel(node.placement()->kernel);
  return kernel != nullptr && kernel->strided_rows;
}

}  // namespace

std::vector<JoinedColumns> FindJoinedColumns(const Graph& graph, const KernelRegistry& registry) {
  const std::vector<Node*> nodes = graph.nodes();
  const Plan& plan = *graph.plan();
  std::unordered_map<const Node*, size_t> first_write;  // into the results of collectives
  for (const Slot& slot : plan.slots) {
    const Node* node = nodes[slot.value.node];
    if (IsCommon(*node, slot.space)) first_write[node] = static_cast<size_t>(slot.first_step);
  }
  std::vector<JoinedColumns> found;
  std::unordered_map<const Node*, size_t> computed;  // on the cpu
  size_t step = 0, last_collective = 0;
  for (const Segment& segment : plan.segments) {
    for (const Step& planned : segment.steps) {
      const size_t at = step++;
      if (planned.node < 0) continue;
      const Node& node = *nodes[planned.node];
      if (segment.device == Device::kCpu) computed[&node] = at;
      if (!node.op().traits.collective) continue;
      const size_t before = std::exchange(last_collective, at);
      if (segment.space() != Device::kCpu || !JoinsColumns(node)) continue;
      const Value part = node.input(0);
      const auto from = computed.find(part.node);
      if (from == computed.end() || from->second < first_write.at(&node)) continue;
      if (from->second < before) continue;  // see common_memory.h
      if (graph.uses(part).size() > 1) continue;
      if (HasStridedRows(*part.node, registry) && HasStridedRows(node, registry)) {
        found.push_back({from->second, part.index, at});
      }
    }
  }
  return found;
}

}  // namespace infer
