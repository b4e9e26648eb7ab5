// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "ir/graph/plan.h"
#include "ir/verify/verify_plan.h"

namespace infer {

// The steps between which a value exists in a space: when it gets there and when it is last read
// there.
struct Lifetime {
  int32_t first = -1;
  int32_t last = -1;
  bool exists() const { return first >= 0; }
};

// The lifetimes of all values of a scheduled graph, as its steps require them.
class PlanLifetimes {
 public:
  struct StepInfo {
    const Step* step;
    Device space;
    // The last step before the cpu has waited for the queue that holds this step; the step itself
    // if it is not in a queue.
    int32_t complete;
  };

  explicit PlanLifetimes(const NumberedGraph& numbered);

  // Table index of a value in a space. A map took most of the check's time on a graph with 60,000
  // values.
  size_t PlaceOf(ValueRef value, Device device) const {
    return numbered_.IndexOf(value) * kSpaces + static_cast<size_t>(device);
  }
  size_t num_places() const { return lives_.size(); }
  const Lifetime& Of(ValueRef value, Device device) const { return lives_[PlaceOf(value, device)]; }

  int64_t num_steps() const { return static_cast<int64_t>(steps_.size()); }
  const StepInfo& step(int32_t at) const { return steps_[at]; }
  // Returns the space in which the step of the node at that position leaves its results.
  Device SpaceOf(int32_t node) const { return space_of_[node]; }

 private:
  static constexpr size_t kSpaces = kNumDevices;

  void NumberSteps();
  void VisitStep(int32_t at);
  void AddLife(Value value, Device device, int32_t at);
  void ReadAt(Value value, Device device, int32_t at);

  const NumberedGraph& numbered_;
  std::vector<StepInfo> steps_;
  std::vector<Device> space_of_;  // by node position
  std::vector<Lifetime> lives_;   // by place
};

}  // namespace infer
