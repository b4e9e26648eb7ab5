// SPDX-License-Identifier: Apache-2.0
#include "ir/graph/barriers.h"

#include "ir/graph/plan.h"

namespace infer {

Value MemoryOf(Value value) {
  while (true) {
    const OpTraits& traits = value.node->op().traits;
    if (traits.view) {
      value = value.node->input(0);
    } else if (value.type().kind == TypeKind::kKv && traits.aliases_input >= 0) {
      value = value.node->input(traits.aliases_input);
    } else {
      return value;
    }
  }
}

bool MeetBetween(const Segment& segment, size_t before, size_t after) {
  for (size_t i = before; i < after; ++i) {
    if (segment.steps[i].barrier_after) return true;
  }
  return false;
}

std::vector<int32_t> MeetingSteps(const Plan& plan, std::span<Node* const> nodes) {
  std::vector<int32_t> met;
  for (const Segment& segment : plan.segments) {
    const size_t first = met.size();
    auto is_view = [&](size_t i) {
      const int32_t node = segment.steps[i].node;
      return node >= 0 && nodes[node]->op().traits.view;
    };
    for (size_t i = 0; i < segment.steps.size(); ++i) {
      met.push_back(static_cast<int32_t>(first + i));
    }
    // Backwards; `next` is the following step that is not a view.
    std::optional<size_t> next;
    for (size_t i = segment.steps.size(); i-- > 0;) {
      if (is_view(i)) continue;
      const bool runs_on = next && segment.steps[i].mode == StepMode::kSliced &&
                           segment.steps[*next].mode == StepMode::kSliced &&
                           !MeetBetween(segment, i, *next);
      if (runs_on) met[first + i] = met[first + *next];
      next = i;
    }
    // No barrier separates a view from the step before it.
    for (size_t i = 1; i < segment.steps.size(); ++i) {
      if (is_view(i)) met[first + i] = std::max(met[first + i], met[first + i - 1]);
    }
  }
  return met;
}

}  // namespace infer
