// SPDX-License-Identifier: Apache-2.0
//
// What it costs that the next step runs elsewhere.
#pragma once

#include <cstddef>
#include <map>
#include <utility>
#include <vector>

#include "ir/graph/graph.h"
#include "ir/policy/machine.h"

namespace infer {

// The step that computes a value of `node`, which may be a view; nullptr if no step does.
const Node* StepOf(const Node* node);

// Nanoseconds for a value between the memories of two devices: what the machine description says of
// the one that is not the cpu.
double CrossingNs(const ValueType& type, Device from, Device to, const MachineDescription& machine,
                  const SymbolValues& at);

// A value crosses to a device once, however many read it there, and a view crosses as what it is a
// view of. Weights, caches and the batch can be reached from every device; inputs and results of
// the graph are on the cpu.
class BoundaryCosts {
 public:
  // A tensor that a step computes or that comes into the graph.
  struct Shared {
    Value value;
    std::vector<const Node*> readers;  // steps, each once
    bool is_result = false;            // of the graph: the cpu reads it
  };

  // Both must outlive it; nodes may be placed anew meanwhile.
  BoundaryCosts(const Graph& graph, const MachineDescription& machine);

  // Nanoseconds around `node` if it were on `target`: between the steps before and after it (either
  // may be missing) and it, and of the values that cross to or from another device because of it.
  // What crosses for others in any case is not charged to the node.
  double Around(const Node& node, Target target, const Node* before, const Node* after,
                const SymbolValues& at) const;

  // Of all values of a call that cross, as the nodes are placed now.
  double Crossings(const SymbolValues& at) const;

  // All that can cross, for those who try other placements.
  const std::vector<Shared>& shared() const { return shared_; }

 private:
  // From a step on one target to a step on another: on another device the segment is handed out;
  // on the same the threads meet the one that was at work.
  double Between(Target from, Target to) const;
  double Crossing(const Shared& shared, Device from, Device to, const SymbolValues& at) const {
    return CrossingNs(shared.value.type(), from, to, machine_, at);
  }
  // Whether somebody but `except` reads it there.
  static bool IsReadOn(Device device, const Shared& shared, const Node* except);
  Shared& Find(Value value);

  const MachineDescription& machine_;
  std::vector<Shared> shared_;  // in program order, so that sums are always added up alike
  std::map<std::pair<const Node*, int>, size_t> position_;
  std::map<const Node*, std::vector<size_t>> read_by_, made_by_;  // positions, each once
};

}  // namespace infer
