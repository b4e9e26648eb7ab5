// SPDX-License-Identifier: Apache-2.0
//
// What it costs that the next step runs elsewhere.
#pragma once

#include <map>
#include <utility>
#include <vector>

#include "ir/graph.h"
#include "ir/machine.h"

namespace infer {

// The step that computes a value of `node`, which may be a view; nullptr if no step does.
const Node* StepOf(const Node* node);

class HandOvers {
 public:
  // Both must outlive it; nodes may be placed anew meanwhile.
  HandOvers(const Graph& graph, const MachineDescription& machine);

  // Nanoseconds around `node` if it were on `target`: between the steps before and after it (either
  // may be missing) and it, and of the values that go to or come from another device.
  double Around(const Node& node, Target target, const Node* before, const Node* after,
                const SymbolValues& at) const;

 private:
  // From a step on one target to a step on another: on another device the segment is handed out;
  // on the same the threads meet the one that was at work.
  double Between(Target from, Target to) const;
  // Of one value of these bytes between devices.
  double Crossing(double bytes) const;

  const MachineDescription& machine_;
  std::map<const Node*, std::vector<std::pair<Value, const Node*>>> readers_;
};

}  // namespace infer
