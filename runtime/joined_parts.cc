// SPDX-License-Identifier: Apache-2.0
#include "runtime/joined_parts.h"

#include <algorithm>
#include <unordered_map>
#include <utility>

#include "ir/graph/common_memory.h"
#include "ir/graph/plan.h"

namespace infer {
namespace {

bool HasStridedRows(const Node& node, const KernelRegistry& registry) {
  const KernelInfo* kernel = registry.kernel(node.placement()->kernel);
  return kernel != nullptr && kernel->strided_rows;
}

bool RunsAnyRows(const Node& node, const KernelRegistry& registry) {
  const KernelInfo* kernel = registry.kernel(node.placement()->kernel);
  return kernel != nullptr && kernel->min_rows <= 1;
}

}  // namespace

std::vector<JoinedPart> FindJoinedParts(const Graph& graph, const KernelRegistry& registry) {
  const std::vector<Node*> nodes = graph.nodes();
  const Plan& plan = *graph.plan();
  // Into the results of a collective that may be written before it.
  std::unordered_map<const Node*, size_t> first_write;
  for (const Slot& slot : plan.slots) {
    const Node* node = nodes[slot.value.node];
    if (!IsCommon(*node, slot.space) || InputInPlace(*node, slot.value.result) < 0) continue;
    size_t& step = first_write[node];
    step = std::max(step, static_cast<size_t>(slot.first_step));
  }
  std::vector<JoinedPart> found;
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
      const bool shares_rows = node.op().traits.shares_rows;
      if (segment.space() != Device::kCpu) continue;
      if (!shares_rows && InputInPlace(node, 0) < 0) continue;
      const Value part = node.input(0);
      const auto from = computed.find(part.node);
      if (from == computed.end() || from->second < first_write[&node]) continue;
      if (from->second < before) continue;  // see common_memory.h
      if (shares_rows) {
        if (RowSharerOf(*part.node) == &node && RunsAnyRows(*part.node, registry)) {
          found.push_back({.computed = from->second, .joined = at, .is_rows = true});
        }
      } else if (part.node->uses(part.index).size() == 1 && HasStridedRows(*part.node, registry) &&
                 HasStridedRows(node, registry)) {
        found.push_back({.computed = from->second, .joined = at, .result = part.index});
      }
    }
  }
  return found;
}

}  // namespace infer
