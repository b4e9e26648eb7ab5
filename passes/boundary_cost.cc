// SPDX-License-Identifier: Apache-2.0
#include "passes/boundary_cost.h"

#include <algorithm>

namespace infer {
namespace {

// Returns the value that a view shows.
Value Viewed(Value value) {
  while (value.node->op().traits.view) value = value.node->input(0);
  return value;
}

// Returns the device where a value is available without crossing.
Device HomeOf(Value value) {
  const Placement* placement = value.node->placement();
  return placement ? DeviceOf(placement->target) : Device::kCpu;
}

bool CanCross(Value value) { return value.type().is_tensor() && !value.node->op().traits.weight; }

}  // namespace

const Node* StepOf(const Node* node) {
  while (node->op().traits.view) node = node->input(0).node;
  return node->placement() ? node : nullptr;
}

double CrossingNs(const ValueType& type, Device from, Device to, const MachineDescription& machine,
                  const SymbolValues& at) {
  const TargetCost* device = machine.FindCost(TargetsOn(from == Device::kCpu ? to : from)[0]);
  if (device == nullptr) return 0;
  const double bytes = CountBytes(type).At(at);
  return device->boundary_ns + (device->copy_gb_s > 0 ? bytes / device->copy_gb_s : 0);
}

BoundaryCosts::BoundaryCosts(const Graph& graph, const MachineDescription& machine)
    : machine_(machine) {
  for (const Node* node : graph.nodes()) {
    if (!node->placement() || node->op().traits.view) continue;
    for (Value input : node->inputs()) {
      const Value value = Viewed(input);
      if (!CanCross(value)) continue;
      Shared& shared = Find(value);
      if (!shared.readers.empty() && shared.readers.back() == node) continue;
      shared.readers.push_back(node);
      read_by_[node].push_back(position_.at({value.node, value.index}));
    }
  }
  for (Value result : graph.results()) {
    if (const Value value = Viewed(result); CanCross(value)) Find(value).is_result = true;
  }
}

BoundaryCosts::Shared& BoundaryCosts::Find(Value value) {
  auto [it, is_new] = position_.try_emplace({value.node, value.index}, shared_.size());
  if (is_new) {
    shared_.push_back({.value = value, .readers = {}});
    made_by_[value.node].push_back(it->second);
  }
  return shared_[it->second];
}

double BoundaryCosts::Between(Target from, Target to) const {
  if (from == to) return 0;
  const TargetCost* entered = machine_.FindCost(to);
  const TargetCost* left = machine_.FindCost(from);
  if (entered == nullptr || left == nullptr) return 0;
  if (DeviceOf(from) != DeviceOf(to)) return entered->wake_ns;
  // The cost of a step that threads share already includes the barrier after it.
  return IsSliced(to) ? std::max(0.0, entered->step_ns - left->step_ns) : 0;
}

bool BoundaryCosts::IsReadOn(Device device, const Shared& shared, const Node* except) {
  if (shared.is_result && device == Device::kCpu) return true;
  return std::ranges::any_of(shared.readers, [&](const Node* reader) {
    return reader != except && DeviceOf(reader->placement()->target) == device;
  });
}

double BoundaryCosts::Around(const Node& node, Target target, const Node* before, const Node* after,
                             const SymbolValues& at) const {
  double ns = 0;
  if (before != nullptr) ns += Between(before->placement()->target, target);
  if (after != nullptr) ns += Between(target, after->placement()->target);
  const Device here = DeviceOf(target);
  if (auto read = read_by_.find(&node); read != read_by_.end()) {
    for (size_t position : read->second) {
      const Shared& input = shared_[position];
      if (HomeOf(input.value) == here || IsReadOn(here, input, &node)) continue;
      ns += Crossing(input, HomeOf(input.value), here, at);
    }
  }
  if (auto made = made_by_.find(&node); made != made_by_.end()) {
    for (size_t position : made->second) {
      for (Device device : kAllDevices) {
        if (device == here || !IsReadOn(device, shared_[position], nullptr)) continue;
        ns += Crossing(shared_[position], here, device, at);
      }
    }
  }
  return ns;
}

double BoundaryCosts::Crossings(const SymbolValues& at) const {
  double ns = 0;
  for (const Shared& shared : shared_) {
    const Device home = HomeOf(shared.value);
    for (Device device : kAllDevices) {
      if (device == home || !IsReadOn(device, shared, nullptr)) continue;
      ns += Crossing(shared, home, device, at);
    }
  }
  return ns;
}

}  // namespace infer
