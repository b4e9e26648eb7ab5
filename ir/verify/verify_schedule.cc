// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "ir/base/status_macros.h"
#include "ir/base/strings.h"
#include "ir/graph/placement.h"
#include "ir/graph/plan.h"
#include "ir/verify/verifier.h"
#include "ir/verify/verify_plan.h"

namespace infer {
namespace {

absl::Status Error(int64_t step, std::string_view what) {
  return absl::InvalidArgumentError(StrCat("step ", step, ": ", what));
}

// Walks the steps in order and tracks which values have been computed or copied where, and what is
// complete.
class ScheduleWalk {
 public:
  explicit ScheduleWalk(const NumberedGraph& numbered)
      : numbered_(numbered),
        step_of_(numbered.nodes.size(), -1),
        space_of_(numbered.nodes.size(), Device::kCpu) {}

  absl::Status Visit(const Segment& segment) {
    RETURN_IF_ERROR(WaitFor(segment.waits, segment.device));
    part_ = Part::kCopiesIn;
    for (const Step& step : segment.steps) RETURN_IF_ERROR(Visit(segment, step));
    if (segment.is_queued()) given_[static_cast<size_t>(segment.device)] = number_;
    ++number_;
    return absl::OkStatus();
  }

  absl::Status Finish() {
    for (size_t i = 0; i < step_of_.size(); ++i) {
      if (step_of_[i] < 0 && IsExecuted(*numbered_.nodes[i])) {
        return absl::InvalidArgumentError(
            StrCat(DescribeNode(*numbered_.nodes[i]), ": no step of the plan runs it"));
      }
    }
    RETURN_IF_ERROR(WaitFor(numbered_.graph.plan()->waits, std::nullopt));
    for (Device device : kAllDevices) {
      if (IsComplete(device, given_[static_cast<size_t>(device)])) continue;
      return absl::InvalidArgumentError(
          StrCat("the call ends before ", Name(device),
                 " has finished its queue: the plan must wait for it"));
    }
    for (Value result : numbered_.graph.results()) {
      if (Available(result, Device::kCpu)) continue;
      return absl::InvalidArgumentError(
          StrCat(DescribeNode(*result.node),
                 ": is a result of the graph but is not available on cpu when the call ends"));
    }
    return CheckWrites();
  }

 private:
  // The order within a segment that has its own memory: copies to it, then nodes, then copies from
  // it.
  enum class Part : uint8_t { kCopiesIn, kNodes, kCopiesOut };
  struct Copied {
    Device queue = Device::kCpu;  // the queue that contains it
    int32_t segment = 0;
  };

  absl::Status WaitFor(const std::vector<Device>& waits, std::optional<Device> device) {
    std::set<Device> seen;
    for (Device queue : waits) {
      const bool has_work = !IsComplete(queue, given_[static_cast<size_t>(queue)]);
      if (!has_work || queue == device || !seen.insert(queue).second) {
        return absl::InvalidArgumentError(StrCat(
            device ? StrCat("segment ", number_, " on ", Name(*device)) : "the end",
            " of the plan waits for ", Name(queue), ", which is unnecessary or listed twice"));
      }
      waited_[static_cast<size_t>(queue)] = number_;
    }
    return absl::OkStatus();
  }

  // Whether the queue has completed the segment: true for everything submitted before the last wait
  // for it.
  bool IsComplete(Device queue, int32_t segment) const {
    return segment < 0 || segment < waited_[static_cast<size_t>(queue)];
  }

  absl::Status Visit(const Segment& segment, const Step& step) {
    if ((step.node < 0) != step.copy.has_value() || step.node < -1) {
      return Error(at_, "must have either a node or a copy");
    }
    RETURN_IF_ERROR(step.copy ? VisitCopy(segment, *step.copy) : VisitNode(segment, step.node));
    ++at_;
    return absl::OkStatus();
  }

  absl::Status VisitNode(const Segment& segment, int32_t position) {
    if (position >= static_cast<int64_t>(numbered_.nodes.size())) {
      return Error(
          at_, StrCat("runs node ", position, "; the number of nodes is ", numbered_.nodes.size()));
    }
    const Node& node = *numbered_.nodes[position];
    if (!IsExecuted(node))
      return Error(at_, StrCat("runs a node that is not executed: ", DescribeNode(node)));
    if (step_of_[position] >= 0) {
      return Error(at_, StrCat("runs ", DescribeNode(node), " again; step ", step_of_[position],
                               " already ran it"));
    }
    if (DeviceOf(node.placement()->target) != segment.device) {
      return Error(at_, StrCat("runs ", DescribeNode(node), " on ", Name(segment.device),
                               " but it is placed on ", Name(node.placement()->target)));
    }
    if (part_ == Part::kCopiesOut) {
      return Error(at_, StrCat("runs ", DescribeNode(node), " after copies from ",
                               Name(segment.device), ", which come last"));
    }
    part_ = Part::kNodes;
    for (Value input : node.inputs()) {
      if (Available(input, segment.space())) continue;
      return Error(at_, StrCat("runs ", DescribeNode(node), " before ", DescribeNode(*input.node),
                               ", which it reads, is available on ", Name(segment.space())));
    }
    step_of_[position] = at_;
    space_of_[position] = segment.space();
    return absl::OkStatus();
  }

  absl::Status VisitCopy(const Segment& segment, const CopyStep& copy) {
    if (!numbered_.Contains(copy.value)) return Error(at_, "copies a value that does not exist");
    Value value = numbered_.ValueOf(copy.value);
    const std::string what = StrCat("copies ", DescribeNode(*value.node), " from ", Name(copy.from),
                                    " to ", Name(copy.to));
    if (!value.type().is_tensor() || value.node->op().traits.weight) {
      return Error(at_, StrCat("copies ", DescribeNode(*value.node),
                               ", which is not a tensor that can be copied"));
    }
    const bool in = copy.from == Device::kCpu && copy.to == segment.device;
    const bool out = copy.to == Device::kCpu && copy.from == segment.device;
    if (!segment.is_queued() || in == out) {
      return Error(at_,
                   StrCat(what, " in a segment of ", Name(segment.space()),
                          ", expected a copy from or to cpu in a segment of the other memory"));
    }
    if (in && part_ != Part::kCopiesIn) {
      return Error(at_, StrCat(what, " after the first node of the segment"));
    }
    if (out) part_ = Part::kCopiesOut;
    if (!Available(value, copy.from) || IsHome(value, copy.to) ||
        !copied_.insert({{copy.value, copy.to}, {segment.device, number_}}).second) {
      return Error(at_, StrCat(what, " before it is computed or a second time"));
    }
    return absl::OkStatus();
  }

  // Returns whether the value was produced in that space.
  bool IsHome(Value value, Device space) const {
    if (!IsExecuted(*value.node)) return space == Device::kCpu;
    const int32_t position = numbered_.position.at(value.node);
    return step_of_[position] >= 0 && space_of_[position] == space;
  }

  // Weights, states and the batch are available wherever they are needed; inputs arrive in the
  // cpu's space. The cpu sees a queue's copies once it has waited for them; a queue runs its work
  // in order.
  bool Available(Value value, Device space) const {
    const Node& node = *value.node;
    if (!value.type().is_tensor() || node.op().traits.weight) {
      return !IsExecuted(node) || step_of_[numbered_.position.at(&node)] >= 0;
    }
    if (IsHome(value, space)) return true;
    auto copied = copied_.find({numbered_.RefOf(value), space});
    if (copied == copied_.end()) return false;
    return space != Device::kCpu || IsComplete(copied->second.queue, copied->second.segment);
  }

  // All readers of a version of a cache must run before the step that replaces it.
  absl::Status CheckWrites() const {
    for (size_t i = 0; i < step_of_.size(); ++i) {
      const Node& node = *numbered_.nodes[i];
      int aliased = node.op().traits.aliases_input;
      if (aliased < 0) continue;
      for (const Use& use : numbered_.graph.uses(node.input(aliased))) {
        if (use.user == &node || step_of_[numbered_.position.at(use.user)] < step_of_[i]) continue;
        return Error(step_of_[i],
                     StrCat("runs ", DescribeNode(node), " before ", DescribeNode(*use.user),
                            ", which reads what it overwrites"));
      }
    }
    return absl::OkStatus();
  }

  static constexpr std::array<int32_t, kNumDevices> Never() {
    std::array<int32_t, kNumDevices> never{};
    never.fill(-1);
    return never;
  }

  const NumberedGraph& numbered_;
  std::vector<int32_t> step_of_;  // by node position; -1: not run yet
  std::vector<Device> space_of_;  // by node position: where its step leaves the results
  std::map<std::pair<ValueRef, Device>, Copied> copied_;
  std::array<int32_t, kNumDevices> given_ = Never();   // the last segment submitted to each queue
  std::array<int32_t, kNumDevices> waited_ = Never();  // segments before this one are complete
  Part part_ = Part::kCopiesIn;
  int32_t number_ = 0;  // number of the segment
  int32_t at_ = 0;
};

}  // namespace

absl::Status VerifySchedule(const NumberedGraph& numbered) {
  const Plan& plan = *numbered.graph.plan();
  ScheduleWalk walk(numbered);
  for (size_t i = 0; i < plan.segments.size(); ++i) {
    const Segment& segment = plan.segments[i];
    if (segment.steps.empty()) {
      return absl::InvalidArgumentError(StrCat("segment ", i, " of the plan has no steps"));
    }
    // A last segment of copies may follow one on the same device: a call may leave it out.
    const bool may_be_skipped =
        i + 1 == plan.segments.size() &&
        std::ranges::all_of(segment.steps, [](const Step& step) { return step.copy.has_value(); });
    if (i > 0 && segment.device == plan.segments[i - 1].device && segment.waits.empty() &&
        !may_be_skipped) {
      return absl::InvalidArgumentError(StrCat("segments ", i - 1, " and ", i, " are both on ",
                                               Name(segment.device), "; they must be one"));
    }
    // The cpu always works in its own memory, and its memory is the only one that others share.
    if (segment.shared_space &&
        (segment.device == Device::kCpu || *segment.shared_space != Device::kCpu)) {
      return absl::InvalidArgumentError(StrCat("segment ", i, " of the plan is on ",
                                               Name(segment.device), " and in the memory of ",
                                               Name(*segment.shared_space)));
    }
    RETURN_IF_ERROR(walk.Visit(segment));
  }
  return walk.Finish();
}

}  // namespace infer
