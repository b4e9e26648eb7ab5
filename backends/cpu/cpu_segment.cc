// SPDX-License-Identifier: Apache-2.0
#include "backends/cpu/cpu_segment.h"

#include <atomic>
#include <limits>
#include <utility>

#include "ir/status_macros.h"

namespace infer {
namespace {

bool WantsToStop(const RunContext& context) {
  return context.stop != nullptr && context.stop->load(std::memory_order_relaxed);
}

absl::Status Stopped() { return absl::CancelledError("stopped"); }

class SerialSegment : public CompiledSegment {
 public:
  explicit SerialSegment(std::vector<CpuStep> steps) : steps_(std::move(steps)) {}

  absl::Status Run(const RunContext& context) override {
    for (const CpuStep& step : steps_) {
      if (WantsToStop(context)) return Stopped();
      for (const CpuPhase& phase : step.kernel->phases()) {
        const int64_t units = UnitsOf(phase, *step.args);
        if (units > 0) phase.run(*step.args, 0, units);
      }
      if (context.observer != nullptr) context.observer->AfterStep(*step.node, *step.args);
    }
    return absl::OkStatus();
  }

 private:
  std::vector<CpuStep> steps_;
};

class TeamSegment : public CompiledSegment {
 public:
  TeamSegment(std::vector<CpuStep> steps, ThreadTeam* team, uint64_t scratch_stride)
      : steps_(std::move(steps)), team_(team), scratch_stride_(scratch_stride) {}

  absl::Status Run(const RunContext& context) override {
    if (context.observer != nullptr) return RunObserved(context);
    Walk walk{this, &context, 0, steps_.size()};
    RETURN_IF_ERROR(team_->Run(WalkRegion, &walk));
    return walk.stop_from.load(std::memory_order_relaxed) == kNever ? absl::OkStatus() : Stopped();
  }

 private:
  static constexpr size_t kNever = std::numeric_limits<size_t>::max();

  // What the threads of one region share.
  struct Walk {
    const TeamSegment* segment;
    const RunContext* context;
    size_t begin;
    size_t end;
    // Thread 0 alone looks at the stop flag, before the step of this number, and all leave at the
    // next barrier. A number, so that a thread that is late at the barrier before does not leave
    // there already and let the others wait for ever.
    std::atomic<size_t> stop_from{kNever};
  };

  // The observer runs between regions, when nobody writes.
  absl::Status RunObserved(const RunContext& context) {
    for (size_t i = 0; i < steps_.size(); ++i) {
      if (WantsToStop(context)) return Stopped();
      Walk walk{this, &context, i, i + 1};
      RETURN_IF_ERROR(team_->Run(WalkRegion, &walk));
      context.observer->AfterStep(*steps_[i].node, *steps_[i].args);
    }
    return absl::OkStatus();
  }

  static void WalkRegion(void* context, int ith) noexcept {
    Walk& walk = *static_cast<Walk*>(context);
    walk.segment->WalkSteps(walk, ith);
  }

  void WalkSteps(Walk& walk, int ith) const {
    for (size_t i = walk.begin; i < walk.end; ++i) {
      const CpuStep& step = steps_[i];
      if (ith == 0 && WantsToStop(*walk.context) && walk.stop_from == kNever) walk.stop_from = i;
      if (step.mode == StepMode::kSliced) {
        RunSlice(step, ith);
      } else if (ith == 0) {
        RunWhole(step);
      }
      if (!step.barrier_after || i + 1 == walk.end) continue;
      team_->Barrier();
      if (walk.stop_from.load(std::memory_order_relaxed) <= i) return;
    }
  }

  static void RunWhole(const CpuStep& step) {
    for (const CpuPhase& phase : step.kernel->phases()) {
      const int64_t units = UnitsOf(phase, *step.args);
      if (units > 0) phase.run(*step.args, 0, units);
    }
  }

  // Units are dealt out in order and in equal parts: with the same count the same thread has the
  // same unit in every step.
  void RunSlice(const CpuStep& step, int ith) const {
    KernelArgs args = *step.args;
    args.scratch += static_cast<uint64_t>(ith) * scratch_stride_;
    bool first = true;
    for (const CpuPhase& phase : step.kernel->phases()) {
      const int64_t units = UnitsOf(phase, args);
      if (units == 0) continue;
      if (!std::exchange(first, false)) team_->Barrier();
      const int64_t begin = units * ith / team_->threads();
      const int64_t end = units * (ith + 1) / team_->threads();
      if (begin < end) phase.run(args, begin, end);
    }
  }

  std::vector<CpuStep> steps_;
  ThreadTeam* team_;
  uint64_t scratch_stride_;
};

}  // namespace

std::unique_ptr<CompiledSegment> MakeSerialSegment(std::vector<CpuStep> steps) {
  return std::make_unique<SerialSegment>(std::move(steps));
}

std::unique_ptr<CompiledSegment> MakeTeamSegment(std::vector<CpuStep> steps, ThreadTeam* team,
                                                 uint64_t scratch_stride) {
  return std::make_unique<TeamSegment>(std::move(steps), team, scratch_stride);
}

}  // namespace infer
