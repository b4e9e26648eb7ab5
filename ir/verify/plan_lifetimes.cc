// SPDX-License-Identifier: Apache-2.0
#include "ir/verify/plan_lifetimes.h"

#include <algorithm>

namespace infer {

PlanLifetimes::PlanLifetimes(const NumberedGraph& numbered)
    : numbered_(numbered),
      space_of_(numbered.nodes.size(), Device::kCpu),
      lives_(numbered.num_values() * kSpaces) {
  for (const Segment& segment : numbered_.graph.plan()->segments) {
    for (const Step& step : segment.steps) steps_.push_back({&step, segment.space()});
  }
  int32_t end = std::max<int32_t>(static_cast<int32_t>(steps_.size()) - 1, 0);
  for (Node* input : numbered_.graph.inputs()) AddLife(input->output(), Device::kCpu, 0, false);
  for (size_t i = 0; i < steps_.size(); ++i) NumberStep(static_cast<int32_t>(i));
  for (Value result : numbered_.graph.results()) {
    for (Device device : {Device::kCpu, Device::kMetal}) ReadAt(result, device, end);
  }
}

void PlanLifetimes::NumberStep(int32_t at) {
  const Step& step = *steps_[at].step;
  if (step.copy) {
    Value value = numbered_.ValueOf(step.copy->value);
    ReadAt(value, step.copy->from, at);
    AddLife(value, step.copy->to, at, false);
    return;
  }
  Node* node = numbered_.nodes[step.node];
  for (Value input : node->inputs()) ReadAt(input, steps_[at].space, at);
  space_of_[step.node] = steps_[at].space;
  for (int i = 0; i < node->num_results(); ++i) {
    AddLife(node->output(i), steps_[at].space, at, step.mode == StepMode::kReplicated);
  }
}

void PlanLifetimes::AddLife(Value value, Device device, int32_t at, bool per_thread) {
  if (!value.type().is_tensor()) return;
  lives_[PlaceOf(numbered_.RefOf(value), device)] = {at, at, per_thread};
}

void PlanLifetimes::ReadAt(Value value, Device device, int32_t at) {
  Lifetime& life = lives_[PlaceOf(numbered_.RefOf(value), device)];
  if (life.exists()) life.last = std::max(life.last, at);
}

}  // namespace infer
