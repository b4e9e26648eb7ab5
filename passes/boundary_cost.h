// SPDX-License-Identifier: Apache-2.0
//
// The cost of running the next step on another target.
#pragma once

#include <cstddef>
#include <map>
#include <utility>
#include <vector>

#include "ir/graph/graph.h"
#include "ir/policy/machine.h"

namespace infer {

// Returns the step that computes a value of `node`, which may be a view; nullptr if no step does.
const Node* StepOf(const Node* node);

// Returns the nanoseconds for moving a value between the memories of two devices, from the machine
// description of the one that is not the cpu.
double CrossingNs(const ValueType& type, Device from, Device to, const MachineDescription& machine,
                  const SymbolValues& at);

// Computes boundary costs of a graph. A value crosses to a device once, regardless of how many
// nodes read it there, and a view crosses as the value it shows. Weights, caches and the batch can
// be reached from every device; inputs and results of the graph are on the cpu.
class BoundaryCosts {
 public:
  // A tensor that a step computes or that is an input of the graph.
  struct Shared {
    Value value;
    std::vector<const Node*> readers;  // steps, each once
    bool is_result = false;            // of the graph, so that the cpu reads it
  };

  // Both must outlive this object; nodes may be placed anew meanwhile.
  BoundaryCosts(const Graph& graph, const MachineDescription& machine);

  // Returns the nanoseconds around `node` if it were on `target`: for the transitions from the step
  // before and to the step after it (either may be missing), and for the values that cross to or
  // from another device because of it. Values that cross anyway, for other nodes, are not charged
  // to it.
  double Around(const Node& node, Target target, const Node* before, const Node* after,
                const SymbolValues& at) const;

  // Returns the cost of all values of a call that cross, with the current placements.
  double Crossings(const SymbolValues& at) const;

  // All values that can cross, for callers that try other placements.
  const std::vector<Shared>& shared() const { return shared_; }

 private:
  // Returns the cost of going from a step on one target to a step on another: on another device,
  // submitting the segment; on the same device, the barrier with the thread that was working.
  double Between(Target from, Target to) const;
  double Crossing(const Shared& shared, Device from, Device to, const SymbolValues& at) const {
    return CrossingNs(shared.value.type(), from, to, machine_, at);
  }
  // Returns whether a node other than `except` reads it there.
  static bool IsReadOn(Device device, const Shared& shared, const Node* except);
  Shared& Find(Value value);

  const MachineDescription& machine_;
  std::vector<Shared> shared_;  // in program order, so that sums are always added in the same order
  std::map<std::pair<const Node*, int>, size_t> position_;
  std::map<const Node*, std::vector<size_t>> read_by_, made_by_;  // positions, each once
};

}  // namespace infer
