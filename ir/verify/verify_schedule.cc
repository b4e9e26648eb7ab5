// SPDX-License-Identifier: Apache-2.0
#include <set>
#include <utility>

#include "ir/base/status_macros.h"
#include "ir/base/strings.h"
#include "ir/graph/barriers.h"
#include "ir/verify/verifier.h"
#include "ir/verify/verify_plan.h"

namespace infer {
namespace {

absl::Status Error(int64_t step, std::string_view what) {
  return absl::InvalidArgumentError(StrCat("step ", step, ": ", what));
}

// Walks the steps in order and keeps what has been computed where.
class ScheduleWalk {
 public:
  explicit ScheduleWalk(const NumberedGraph& numbered)
      : numbered_(numbered),
        step_of_(numbered.nodes.size(), -1),
        space_of_(numbered.nodes.size(), Device::kCpu) {}

  absl::Status Visit(const Segment& segment, const Step& step) {
    if ((step.node < 0) != step.copy.has_value() || step.node < -1) {
      return Error(at_, "must have either a node or a copy");
    }
    RETURN_IF_ERROR(step.copy ? VisitCopy(segment, *step.copy) : VisitNode(segment, step.node));
    ++at_;
    return absl::OkStatus();
  }

  absl::Status Finish() const {
    for (size_t i = 0; i < step_of_.size(); ++i) {
      if (step_of_[i] < 0 && IsExecuted(*numbered_.nodes[i])) {
        return absl::InvalidArgumentError(
            StrCat(DescribeNode(*numbered_.nodes[i]), ": no step of the plan runs it"));
      }
    }
    return CheckWrites();
  }

 private:
  absl::Status VisitNode(const Segment& segment, int32_t position) {
    if (position >= static_cast<int64_t>(numbered_.nodes.size())) {
      return Error(at_, StrCat("runs node ", position, " of ", numbered_.nodes.size()));
    }
    const Node& node = *numbered_.nodes[position];
    if (!IsExecuted(node)) return Error(at_, StrCat("runs ", DescribeNode(node)));
    if (step_of_[position] >= 0) {
      return Error(at_, StrCat("runs ", DescribeNode(node), " again, which step ",
                               step_of_[position], " did"));
    }
    if (DeviceOf(node.placement()->target) != segment.device) {
      return Error(at_, StrCat("runs ", DescribeNode(node), " on ", Name(segment.device),
                               " but it is placed on ", Name(node.placement()->target)));
    }
    for (Value input : node.inputs()) {
      if (Available(input, segment.space())) continue;
      return Error(at_, StrCat("runs ", DescribeNode(node), " before ", DescribeNode(*input.node),
                               ", which it reads, is there on ", Name(segment.space())));
    }
    step_of_[position] = at_;
    space_of_[position] = segment.space();
    return absl::OkStatus();
  }

  absl::Status VisitCopy(const Segment& segment, const CopyStep& copy) {
    if (!numbered_.Contains(copy.value)) return Error(at_, "copies a value that does not exist");
    Value value = numbered_.ValueOf(copy.value);
    if (!value.type().is_tensor() || value.node->op().traits.weight) {
      return Error(at_, StrCat("copies ", DescribeNode(*value.node), ", which is no tensor"));
    }
    if (copy.from == copy.to || (segment.space() != copy.from && segment.space() != copy.to)) {
      return Error(at_, StrCat("copies ", DescribeNode(*value.node), " from ", Name(copy.from),
                               " to ", Name(copy.to), " in a segment of ", Name(segment.space())));
    }
    if (!Available(value, copy.from) || !copied_.insert({copy.value, copy.to}).second) {
      return Error(at_, StrCat("copies ", DescribeNode(*value.node),
                               " before it is computed or a second time"));
    }
    return absl::OkStatus();
  }

  // Weights, states and the batch can be reached from every space; inputs arrive in the cpu's.
  bool Available(Value value, Device space) const {
    const Node& node = *value.node;
    if (!value.type().is_tensor() || node.op().traits.weight) {
      return !IsExecuted(node) || step_of_[numbered_.position.at(&node)] >= 0;
    }
    if (copied_.contains({numbered_.RefOf(value), space})) return true;
    if (!IsExecuted(node)) return space == Device::kCpu;
    const int32_t position = numbered_.position.at(&node);
    return step_of_[position] >= 0 && space_of_[position] == space;
  }

  // Who reads a version of a cache must run before the step that replaces it.
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

  const NumberedGraph& numbered_;
  std::vector<int32_t> step_of_;  // by node position; -1: not yet
  std::vector<Device> space_of_;  // by node position: where its step left the results
  std::set<std::pair<ValueRef, Device>> copied_;
  int32_t at_ = 0;
};

// Threads must meet around a sliced step, unless the next one is cut by the same rows. Whether
// kernels cut by rows at all is not in the plan.
absl::Status CheckBarriers(const NumberedGraph& numbered, const Segment& segment) {
  auto is_view = [&](const Step& step) {
    return step.node >= 0 && numbered.nodes[step.node]->op().traits.view;
  };
  const Step* last = nullptr;  // the last that computes, and whether threads have met since
  bool met = true;
  for (const Step& step : segment.steps) {
    if (last != nullptr && !is_view(step) && !met && step.node >= 0 && last->node >= 0 &&
        (last->mode == StepMode::kSliced || step.mode == StepMode::kSliced)) {
      const Node& first = *numbered.nodes[last->node];
      const Node& second = *numbered.nodes[step.node];
      if (last->mode != step.mode || !CutByTheSameRows(first, second)) {
        return absl::InvalidArgumentError(StrCat(DescribeNode(second), " may begin before ",
                                                 DescribeNode(first),
                                                 " is complete: threads must meet between them"));
      }
    }
    met = step.barrier_after || (is_view(step) && met);
    if (!is_view(step)) last = &step;
  }
  return absl::OkStatus();
}

}  // namespace

absl::Status VerifySchedule(const NumberedGraph& numbered) {
  const Plan& plan = *numbered.graph.plan();
  ScheduleWalk walk(numbered);
  for (size_t i = 0; i < plan.segments.size(); ++i) {
    const Segment& segment = plan.segments[i];
    if (segment.steps.empty()) {
      return absl::InvalidArgumentError(StrCat("segment ", i, " of the plan has no steps"));
    }
    if (i > 0 && segment.device == plan.segments[i - 1].device) {
      return absl::InvalidArgumentError(StrCat("segments ", i - 1, " and ", i, " are both on ",
                                               Name(segment.device), "; they must be one"));
    }
    // The cpu works in its own memory always, and its memory is the only one that others share.
    if (segment.shared_space &&
        (segment.device == Device::kCpu || *segment.shared_space != Device::kCpu)) {
      return absl::InvalidArgumentError(StrCat("segment ", i, " of the plan is on ",
                                               Name(segment.device), " and in the memory of ",
                                               Name(*segment.shared_space)));
    }
    for (const Step& step : segment.steps) RETURN_IF_ERROR(walk.Visit(segment, step));
    RETURN_IF_ERROR(CheckBarriers(numbered, segment));
  }
  return walk.Finish();
}

}  // namespace infer
