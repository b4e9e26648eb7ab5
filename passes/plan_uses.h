// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "ir/graph/graph.h"
#include "ir/graph/plan.h"

namespace infer {

// A value in a space.
using Place = std::pair<ValueRef, Device>;

// The steps of a scheduled graph, and how long they need each value in a space.
class PlanUses {
 public:
  struct NumberedStep {
    Step* step;
    Device space;
  };

  // `nodes` are those of the graph, by position.
  PlanUses(const Graph& graph, const std::vector<Node*>& nodes, Plan& plan);

  const std::vector<NumberedStep>& steps() const { return steps_; }
  // A graph that returns its inputs needs memory too, as if it had a step.
  int32_t num_steps() const { return std::max<int32_t>(static_cast<int32_t>(steps_.size()), 1); }
  // Returns the last step that needs the value there; if none does, `made`, the step that makes it.
  int32_t LastUse(const Place& place, int32_t made) const;

 private:
  void Use(const Place& place, int32_t step);

  std::vector<NumberedStep> steps_;
  std::map<Place, int32_t> last_;
};

}  // namespace infer
