// SPDX-License-Identifier: Apache-2.0
#include "ir/verify/plan_lifetimes.h"

#include <algorithm>
#include <array>

#include "ir/graph/plan.h"

namespace infer {

PlanLifetimes::PlanLifetimes(const NumberedGraph& numbered)
    : numbered_(numbered),
      space_of_(numbered.nodes.size(), Device::kCpu),
      lives_(numbered.num_values() * kSpaces) {
  NumberSteps();
  int32_t end = std::max<int32_t>(static_cast<int32_t>(steps_.size()) - 1, 0);
  for (Node* input : numbered_.graph.inputs()) AddLife(input->output(), Device::kCpu, 0);
  for (size_t i = 0; i < steps_.size(); ++i) VisitStep(static_cast<int32_t>(i));
  for (Value result : numbered_.graph.results()) ReadAt(result, Device::kCpu, end);
}

void PlanLifetimes::NumberSteps() {
  const std::vector<Segment>& segments = numbered_.graph.plan()->segments;
  for (const Segment& segment : segments) {
    for (const Step& step : segment.steps) steps_.push_back({&step, segment.space(), 0});
  }
  // Backwards, tracking for each queue the last step before the next wait for it.
  std::array<int32_t, kNumDevices> complete;
  complete.fill(static_cast<int32_t>(steps_.size()) - 1);
  int32_t at = static_cast<int32_t>(steps_.size());
  for (size_t i = segments.size(); i-- > 0;) {
    const Segment& segment = segments[i];
    for (size_t step = 0; step < segment.steps.size(); ++step) {
      --at;
      steps_[at].complete =
          segment.is_queued() ? complete[static_cast<size_t>(segment.device)] : at;
    }
    for (Device queue : segment.waits) complete[static_cast<size_t>(queue)] = at - 1;
  }
}

// The cpu's side of a copy is in use until the copy is complete.
void PlanLifetimes::VisitStep(int32_t at) {
  const Step& step = *steps_[at].step;
  if (step.copy) {
    Value value = numbered_.ValueOf(step.copy->value);
    ReadAt(value, step.copy->from, at);
    AddLife(value, step.copy->to, at);
    ReadAt(value, Device::kCpu, steps_[at].complete);
    return;
  }
  Node* node = numbered_.nodes[step.node];
  for (Value input : node->inputs()) ReadAt(input, steps_[at].space, at);
  space_of_[step.node] = steps_[at].space;
  for (int i = 0; i < node->num_results(); ++i) AddLife(node->output(i), steps_[at].space, at);
}

void PlanLifetimes::AddLife(Value value, Device device, int32_t at) {
  if (!value.type().is_tensor()) return;
  lives_[PlaceOf(numbered_.RefOf(value), device)] = {at, at};
}

void PlanLifetimes::ReadAt(Value value, Device device, int32_t at) {
  Lifetime& life = lives_[PlaceOf(numbered_.RefOf(value), device)];
  if (life.exists()) life.last = std::max(life.last, at);
}

}  // namespace infer
