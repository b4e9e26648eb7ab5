// SPDX-License-Identifier: Apache-2.0
#include "backends/parallel/team_segment.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <limits>
#include <memory>
#include <utility>

#include "backends/cpu/step_timer.h"
#include "ir/base/status_macros.h"
#include "ir/graph/plan.h"

namespace infer {
namespace {

class TeamSegment : public CompiledSegment {
 public:
  TeamSegment(std::vector<CpuStep> steps, ThreadTeam* team, uint64_t scratch_stride)
      : steps_(std::move(steps)),
        team_(team),
        scratch_stride_(scratch_stride),
        claims_(steps_.size() * kPhases) {}

  absl::Status Run(const RunContext& context, const SegmentCall& call) const override {
    if (context.observer != nullptr) return RunObserved(context, call);
    return RunRegion(context, call, 0, steps_.size());
  }

 private:
  static constexpr size_t kNever = std::numeric_limits<size_t>::max();
  static constexpr size_t kPhases = 3;
  static constexpr int64_t kClaimTokens = 17;

  // State shared by the threads of one region.
  struct Walk {
    const TeamSegment* segment;
    const RunContext* context;
    const KernelArgs* args;  // indexed by step number
    size_t begin;
    size_t end;
    // Only thread 0 checks the stop flag, before the step of this number, and all threads leave at
    // the next barrier. A step number rather than a flag, so that a thread that is late at the
    // previous barrier does not leave there already and make the others wait forever.
    std::atomic<size_t> stop_from{kNever};
    // The next unit of each phase that threads claim instead of taking equal parts, kPhases for
    // each step; nullptr: every phase is divided into equal parts.
    std::atomic<int64_t>* claims = nullptr;
  };

  absl::Status RunRegion(const RunContext& context, const SegmentCall& call, size_t begin,
                         size_t end) const {
    Walk walk{this, &context, call.args.data(), begin, end};
    if (ClaimsUnits(call)) {
      for (std::atomic<int64_t>& next : claims_) next.store(0, std::memory_order_relaxed);
      walk.claims = claims_.data();
    }
    const bool timed = context.events != nullptr;
    RETURN_IF_ERROR(team_->Run(timed ? WalkRegion<true> : WalkRegion<false>, &walk, KindOf(call)));
    if (walk.stop_from.load(std::memory_order_relaxed) != kNever) return Stopped();
    // The end of a region acts as a barrier for thread 0 but is not a step.
    if (!timed) return absl::OkStatus();
    context.events->thread(0)[steps_[end - 1].number].wait_end_ns = StepClockNs();
    // Threads that were left out have events of an earlier call.
    for (int ith = team_->active(); ith < team_->threads(); ++ith) {
      for (size_t i = begin; i < end; ++i) context.events->thread(ith)[steps_[i].number] = {};
    }
    return absl::OkStatus();
  }

  static int64_t Tokens(const SegmentCall& call, const CpuStep& step) {
    const Batch* batch = call.args[step.number].batch;
    return batch == nullptr ? 0 : static_cast<int64_t>(batch->token_pos.size());
  }

  // Regions with about the same number of tokens take about the same time.
  int KindOf(const SegmentCall& call) const {
    return std::bit_width(static_cast<uint64_t>(Tokens(call, steps_.front())));
  }

  // With many tokens a unit is long, and a thread that is slow for a while, on a busy CPU or beside
  // a busy sibling, would let the others wait. With few, equal parts cost less than claims, unless
  // other programs want our CPUs.
  bool ClaimsUnits(const SegmentCall& call) const {
    return Tokens(call, steps_.front()) >= kClaimTokens || team_->contended();
  }

  // The observer runs between regions, when no thread is writing.
  absl::Status RunObserved(const RunContext& context, const SegmentCall& call) const {
    for (size_t i = 0; i < steps_.size(); ++i) {
      if (WantsToStop(context)) return Stopped();
      RETURN_IF_ERROR(RunRegion(context, call, i, i + 1));
      context.observer->AfterStep(*steps_[i].node, call.args[steps_[i].number]);
    }
    return absl::OkStatus();
  }

  template <bool kTimed>
  static void WalkRegion(void* context, int ith) noexcept {
    Walk& walk = *static_cast<Walk*>(context);
    walk.segment->WalkSteps<kTimed>(walk, ith);
  }

  template <bool kTimed>
  void WalkSteps(Walk& walk, int ith) const {
    StepTimer<kTimed> timer(walk.context->events, ith);
    for (size_t i = walk.begin; i < walk.end; ++i) {
      const CpuStep& step = steps_[i];
      if (ith == 0 && WantsToStop(*walk.context) && walk.stop_from == kNever) walk.stop_from = i;
      if constexpr (kTimed) {
        if (ith == 0) walk.context->events->CountRows(step.number, walk.args[step.number]);
      }
      timer.Begin(step.number);
      if (step.mode == StepMode::kSliced) {
        RunSlice(walk, i, ith, timer);
      } else if (ith == 0) {
        RunWhole(*step.kernel, walk.args[step.number]);
      }
      timer.End();
      if (!step.barrier_after || i + 1 == walk.end) continue;
      team_->Barrier();
      timer.EndWait();
      if (walk.stop_from.load(std::memory_order_relaxed) <= i) return;
    }
  }

  // Units are assigned in order and in equal parts: with the same number of units, a thread gets
  // the same units in every step. Only between two barriers may it get others.
  template <bool kTimed>
  void RunSlice(Walk& walk, size_t i, int ith, StepTimer<kTimed>& timer) const {
    const CpuStep& step = steps_[i];
    KernelArgs args = walk.args[step.number];
    args.scratch += static_cast<uint64_t>(ith) * scratch_stride_;
    const auto phases = step.kernel->phases();
    bool first = true;
    for (size_t p = 0; p < kPhases; ++p) {
      const CpuPhase& phase = phases[p];
      const int64_t units = UnitsOf(phase, args);
      if (units == 0) continue;
      const bool after_barrier = !first || i == walk.begin || steps_[i - 1].barrier_after;
      if (!std::exchange(first, false)) {
        timer.BeginInnerWait();
        team_->Barrier();
        timer.EndInnerWait();
      }
      if (walk.claims != nullptr && after_barrier && BarrierFollows(walk, i, phases, p, args)) {
        RunClaimed(phase, args, units, walk.claims[(i - walk.begin) * kPhases + p]);
        continue;
      }
      const int64_t begin = units * ith / team_->active();
      const int64_t end = units * (ith + 1) / team_->active();
      if (begin < end) phase.run(args, begin, end);
    }
  }

  // Whether a barrier comes before any work after phase p of step i.
  bool BarrierFollows(const Walk& walk, size_t i, const std::array<CpuPhase, kPhases>& phases,
                      size_t p, const KernelArgs& args) const {
    if (steps_[i].barrier_after || i + 1 == walk.end) return true;
    while (++p < kPhases) {
      if (UnitsOf(phases[p], args) > 0) return true;
    }
    return false;
  }

  // Four claims for each thread: fewer leave long ends, more cost weights read in shorter streams.
  void RunClaimed(const CpuPhase& phase, const KernelArgs& args, int64_t units,
                  std::atomic<int64_t>& next) const {
    const int64_t piece = std::max<int64_t>(1, units / (4 * team_->active()));
    for (;;) {
      const int64_t begin = next.fetch_add(piece, std::memory_order_relaxed);
      if (begin >= units) return;
      phase.run(args, begin, std::min(begin + piece, units));
    }
  }

  std::vector<CpuStep> steps_;
  ThreadTeam* team_;
  uint64_t scratch_stride_;
  mutable std::vector<std::atomic<int64_t>> claims_;  // of the one region that the team runs
};

class TeamThreads : public CpuThreads {
 public:
  explicit TeamThreads(std::unique_ptr<ThreadTeam> team) : team_(std::move(team)) {}

  int threads() const override { return team_->threads(); }
  void For(int64_t count, const std::function<void(int64_t)>& body) override {
    Loop loop{&body, count};
    // Fails inside a region alone, where the threads are busy: then the caller does it all.
    if (!team_->Run(RunLoop, &loop).ok()) SerialFor(count, body);
  }
  void Pause() override { team_->Pause(); }
  std::vector<uint64_t> WaitNs() const override { return team_->WaitNs(); }
  std::unique_ptr<CompiledSegment> MakeSegment(std::vector<CpuStep> steps,
                                               uint64_t scratch_stride) override {
    return MakeTeamSegment(std::move(steps), team_.get(), scratch_stride);
  }

 private:
  struct Loop {
    const std::function<void(int64_t)>* body;
    int64_t count;
    std::atomic<int64_t> next = 0;
  };
  static void RunLoop(void* context, int) noexcept {
    auto& loop = *static_cast<Loop*>(context);
    for (int64_t i = loop.next++; i < loop.count; i = loop.next++) (*loop.body)(i);
  }

  std::unique_ptr<ThreadTeam> team_;
};

}  // namespace

std::unique_ptr<CompiledSegment> MakeTeamSegment(std::vector<CpuStep> steps, ThreadTeam* team,
                                                 uint64_t scratch_stride) {
  return std::make_unique<TeamSegment>(std::move(steps), team, scratch_stride);
}

std::unique_ptr<CpuThreads> MakeTeamThreads(std::unique_ptr<ThreadTeam> team) {
  return std::make_unique<TeamThreads>(std::move(team));
}

}  // namespace infer
