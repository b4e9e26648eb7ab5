// SPDX-License-Identifier: Apache-2.0
#include "passes/plan_uses.h"

#include <algorithm>
#include <array>
#include <unordered_map>

#include "ir/graph/plan.h"

namespace infer {

PlanUses::PlanUses(const Graph& graph, const std::vector<Node*>& nodes, Plan& plan) {
  std::unordered_map<const Node*, int32_t> position;
  for (size_t i = 0; i < nodes.size(); ++i) position[nodes[i]] = static_cast<int32_t>(i);
  for (Segment& segment : plan.segments) {
    for (Step& step : segment.steps) steps_.push_back({&step, segment.space()});
  }
  for (size_t at = 0; at < steps_.size(); ++at) {
    const auto [step, space] = steps_[at];
    if (step->copy) {
      Use({step->copy->value, step->copy->from}, static_cast<int32_t>(at));
      continue;
    }
    for (Value input : nodes[step->node]->inputs()) {
      Use({{position.at(input.node), input.index}, space}, static_cast<int32_t>(at));
    }
  }
  // Backwards: the cpu's side of a copy is in use until the next wait for the queue.
  std::array<int32_t, kNumDevices> complete;
  complete.fill(num_steps() - 1);
  int32_t first = static_cast<int32_t>(steps_.size());
  for (size_t i = plan.segments.size(); i-- > 0;) {
    const Segment& segment = plan.segments[i];
    first -= static_cast<int32_t>(segment.steps.size());
    for (const Step& step : segment.steps) {
      if (!step.copy) continue;
      Use({step.copy->value, Device::kCpu}, complete[static_cast<size_t>(segment.device)]);
    }
    for (Device queue : segment.waits) complete[static_cast<size_t>(queue)] = first - 1;
  }
  for (Value result : graph.results()) {
    Use({{position.at(result.node), result.index}, Device::kCpu}, num_steps() - 1);
  }
}

void PlanUses::Use(const Place& place, int32_t step) {
  int32_t& last = last_.try_emplace(place, step).first->second;
  last = std::max(last, step);
}

int32_t PlanUses::LastUse(const Place& place, int32_t made) const {
  auto last = last_.find(place);
  return last == last_.end() ? made : std::max(made, last->second);
}

}  // namespace infer
