// SPDX-License-Identifier: Apache-2.0
//
// Checks that barriers separate the steps of a segment wherever threads that share them need one.
#include "ir/base/status_macros.h"
#include "ir/base/strings.h"
#include "ir/graph/barriers.h"
#include "ir/graph/plan.h"
#include "ir/verify/verifier.h"
#include "ir/verify/verify_plan.h"

namespace infer {
namespace {

class SegmentThreads {
 public:
  SegmentThreads(const NumberedGraph& numbered, const Segment& segment, const MemoryNames& memory)
      : numbered_(numbered), segment_(segment), memory_(memory) {}

  absl::Status Verify() {
    for (size_t i = 0; i < segment_.steps.size(); ++i) {
      const Step& step = segment_.steps[i];
      if (step.node >= 0 && NodeOf(step).op().traits.view) continue;
      if (step.mode == StepMode::kSliced) RETURN_IF_ERROR(VerifyCut(step));
      RETURN_IF_ERROR(VerifyMet(i));
      if (step.mode == StepMode::kSliced) RETURN_IF_ERROR(AddAccesses(NodeOf(step)));
      last_ = i;
    }
    return absl::OkStatus();
  }

 private:
  Node& NodeOf(const Step& step) const { return *numbered_.nodes[step.node]; }

  absl::Status VerifyCut(const Step& step) const {
    if (step.node >= 0 && segment_.device == Device::kCpu &&
        NodeOf(step).placement()->kernel_record.partition.is_cut()) {
      return absl::OkStatus();
    }
    return absl::InvalidArgumentError(
        StrCat(step.node < 0 ? std::string("a copy") : DescribeNode(NodeOf(step)),
               ": threads cannot share it, its step must be serial"));
  }

  // Checks that nothing done since the last barrier conflicts with the step.
  absl::Status VerifyMet(size_t at) {
    if (!last_) return absl::OkStatus();
    if (MeetBetween(segment_, *last_, at)) {
      unmet_.Meet();
      return absl::OkStatus();
    }
    const Step& before = segment_.steps[*last_];
    const Step& step = segment_.steps[at];
    if (before.mode != step.mode) return MustMeet(before, step);
    if (step.mode != StepMode::kSliced) return absl::OkStatus();
    bool clashes = false;
    ForEachAccess(NodeOf(step), [&](Value value, const Access& access) {
      clashes |= unmet_.Clashes(memory_(value), access);
    });
    return clashes ? MustMeet(before, step) : absl::OkStatus();
  }

  absl::Status MustMeet(const Step& before, const Step& step) const {
    return absl::InvalidArgumentError(
        StrCat(DescribeNode(NodeOf(step)), " may begin before ", DescribeNode(NodeOf(before)),
               " or a step before it is complete: a barrier must separate them"));
  }

  // A barrier before the step cannot fix a conflict within the step itself.
  absl::Status AddAccesses(Node& node) {
    bool clashes = false;
    ForEachAccess(node, [&](Value value, const Access& access) {
      clashes |= unmet_.Clashes(memory_(value), access);
      unmet_.Add(memory_(value), access);
    });
    if (!clashes) return absl::OkStatus();
    return absl::InvalidArgumentError(
        StrCat(DescribeNode(node),
               ": one thread writes in place what another may still read, because kernel ",
               Quote(node.placement()->kernel), " reads more than a unit's own part"));
  }

  const NumberedGraph& numbered_;
  const Segment& segment_;
  const MemoryNames& memory_;
  UnmetAccesses unmet_;
  std::optional<size_t> last_;  // the last step that is not a view
};

}  // namespace

MemoryNames MemoryByValue() {
  return [](Value value) -> UnmetAccesses::Memory {
    const Value memory = MemoryOf(value);
    return {memory.node, memory.index};
  };
}

absl::Status VerifyThreads(const NumberedGraph& numbered, const MemoryNames& memory) {
  for (const Segment& segment : numbered.graph.plan()->segments) {
    RETURN_IF_ERROR(SegmentThreads(numbered, segment, memory).Verify());
  }
  return absl::OkStatus();
}

}  // namespace infer
