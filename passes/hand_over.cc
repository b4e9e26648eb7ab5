// SPDX-License-Identifier: Apache-2.0
#include "passes/hand_over.h"

#include <algorithm>

namespace infer {
namespace {

bool OnAnotherDevice(const Node* step, Target target) {
  return step != nullptr && DeviceOf(step->placement()->target) != DeviceOf(target);
}

}  // namespace

const Node* StepOf(const Node* node) {
  while (node->op().traits.view) node = node->input(0).node;
  return node->placement() ? node : nullptr;
}

HandOvers::HandOvers(const Graph& graph, const MachineDescription& machine) : machine_(machine) {
  for (const Node* node : graph.nodes()) {
    if (!node->placement() || node->op().traits.view) continue;
    for (const Value& input : node->inputs()) {
      if (const Node* step = StepOf(input.node)) readers_[step].push_back({input, node});
    }
  }
}

double HandOvers::Between(Target from, Target to) const {
  if (from == to) return 0;
  const TargetCost* entered = machine_.FindCost(to);
  const TargetCost* left = machine_.FindCost(from);
  if (entered == nullptr || left == nullptr) return 0;
  if (DeviceOf(from) != DeviceOf(to)) return entered->wake_ns;
  // A step on parallel has the meeting after it in its own cost.
  return to == Target::kParallel ? std::max(0.0, entered->step_ns - left->step_ns) : 0;
}

double HandOvers::Crossing(double bytes) const {
  const TargetCost* device = machine_.FindCost(Target::kMetal);
  if (device == nullptr) return 0;
  return device->boundary_ns + (device->copy_gb_s > 0 ? bytes / device->copy_gb_s : 0);
}

double HandOvers::Around(const Node& node, Target target, const Node* before, const Node* after,
                         const SymbolValues& at) const {
  double ns = 0;
  if (before != nullptr) ns += Between(before->placement()->target, target);
  if (after != nullptr) ns += Between(target, after->placement()->target);
  for (const Value& input : node.inputs()) {
    if (!OnAnotherDevice(StepOf(input.node), target)) continue;
    ns += Crossing(CountBytes(input.type()).At(at));
  }
  auto readers = readers_.find(&node);
  if (readers == readers_.end()) return ns;
  std::vector<Value> crossed;  // a value crosses once, however many read it there
  for (const auto& [value, reader] : readers->second) {
    if (!OnAnotherDevice(reader, target) || std::ranges::find(crossed, value) != crossed.end()) {
      continue;
    }
    crossed.push_back(value);
    ns += Crossing(CountBytes(value.type()).At(at));
  }
  return ns;
}

}  // namespace infer
