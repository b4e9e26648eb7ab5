// SPDX-License-Identifier: Apache-2.0
#include "backends/parallel/tbb_segment.h"

#include <tbb/blocked_range.h>
#include <tbb/global_control.h>
#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>

#include <atomic>
#include <span>
#include <utility>

#include "backends/parallel/tbb_errors.h"
#include "ir/base/strings.h"
#include "runtime/thread_team.h"

namespace infer {

struct TbbThreads::Arena {
  explicit Arena(int threads)
      : limit(tbb::global_control::max_allowed_parallelism, static_cast<size_t>(threads)),
        arena(threads) {}
  // By default the library starts a thread for each CPU that it sees, whatever the arena's size.
  tbb::global_control limit;
  tbb::task_arena arena;
};

absl::StatusOr<std::unique_ptr<TbbThreads>> TbbThreads::Create(int threads) {
  if (threads < 1 || threads > ThreadTeam::kMaxThreads) {
    return absl::InvalidArgumentError(
        StrCat("a oneTBB arena of ", threads, " threads: expected 1 to ", ThreadTeam::kMaxThreads));
  }
  return std::unique_ptr<TbbThreads>(new TbbThreads(threads, std::make_unique<Arena>(threads)));
}

TbbThreads::TbbThreads(int threads, std::unique_ptr<Arena> arena)
    : threads_(threads), arena_(std::move(arena)) {}
TbbThreads::~TbbThreads() = default;

void TbbThreads::For(int64_t count, const std::function<void(int64_t)>& body) {
  WithTbbErrors(
      [&] { arena_->arena.execute([&] { tbb::parallel_for(int64_t{0}, count, body); }); });
}

void TbbThreads::Execute(Function function, void* context) {
  WithTbbErrors([&] { arena_->arena.execute([&] { function(context); }); });
}

namespace {

// The times of one step. A thread runs any number of tasks in it, so its waiting time is known only
// at the end; until then inner_wait_ns holds the time it was busy.
template <bool kTimed>
class TaskTimes {
 public:
  TaskTimes(StepEvents* events, int32_t step) : events_(events), step_(step) {
    if constexpr (kTimed) {
      const int64_t now = StepClockNs();
      for (int i = 0; i < events_->threads(); ++i) events_->thread(i)[step_] = {now, now, now, 0};
    }
  }

  template <class Task>
  void Run(Task task) {
    if constexpr (!kTimed) {
      task();
    } else {
      const int64_t start = StepClockNs();
      task();
      StepEvent& event = events_->thread(tbb::this_task_arena::current_thread_index())[step_];
      event.end_ns = StepClockNs();
      event.inner_wait_ns += event.end_ns - start;
    }
  }

  void End() {
    if constexpr (kTimed) {
      const int64_t now = StepClockNs();
      for (int i = 0; i < events_->threads(); ++i) {
        StepEvent& event = events_->thread(i)[step_];
        event.inner_wait_ns = event.end_ns - event.start_ns - event.inner_wait_ns;
        event.wait_end_ns = now;
      }
    }
  }

 private:
  StepEvents* events_;
  int32_t step_;
};

class TbbSegment : public CompiledSegment {
 public:
  TbbSegment(std::vector<CpuStep> steps, TbbThreads* threads, uint64_t scratch_stride)
      : steps_(std::move(steps)), threads_(threads), scratch_stride_(scratch_stride) {}

  absl::Status Run(const RunContext& context, const SegmentCall& call) const override {
    Walk walk{this, &context, call.args, false};
    threads_->Execute(
        [](void* argument) {
          Walk& inside = *static_cast<Walk*>(argument);
          inside.stopped = inside.context->events != nullptr
                               ? !inside.segment->WalkSteps<true>(*inside.context, inside.args)
                               : !inside.segment->WalkSteps<false>(*inside.context, inside.args);
        },
        &walk);
    return walk.stopped ? Stopped() : absl::OkStatus();
  }

 private:
  struct Walk {
    const TbbSegment* segment;
    const RunContext* context;
    std::span<const KernelArgs> args;
    bool stopped;
  };

  // Returns false if the stop flag ended it.
  template <bool kTimed>
  bool WalkSteps(const RunContext& context, std::span<const KernelArgs> all_args) const {
    for (const CpuStep& step : steps_) {
      if (WantsToStop(context)) return false;
      const KernelArgs& args = all_args[step.number];
      if constexpr (kTimed) context.events->CountRows(step.number, args);
      TaskTimes<kTimed> times(context.events, step.number);
      for (const CpuPhase& phase : step.kernel->phases()) {
        const int64_t units = UnitsOf(phase, args);
        if (units == 0) continue;
        if (step.mode == StepMode::kSliced && units > 1) {
          ShareOut(phase, args, units, times);
        } else {
          times.Run([&] { phase.run(args, 0, units); });
        }
      }
      times.End();
      if (context.observer != nullptr) context.observer->AfterStep(*step.node, args);
    }
    return true;
  }

  // Divides the units into equal parts, like the team: kernels are fastest in long calls of `run`,
  // and the same thread tends to get the same rows again.
  template <bool kTimed>
  void ShareOut(const CpuPhase& phase, const KernelArgs& shared, int64_t units,
                TaskTimes<kTimed>& times) const {
    tbb::parallel_for(
        tbb::blocked_range<int64_t>(0, units),
        [&](const tbb::blocked_range<int64_t>& part) {
          KernelArgs args = shared;
          if (args.scratch != nullptr) {
            args.scratch += static_cast<uint64_t>(tbb::this_task_arena::current_thread_index()) *
                            scratch_stride_;
          }
          times.Run([&] { phase.run(args, part.begin(), part.end()); });
        },
        tbb::static_partitioner());
  }

  std::vector<CpuStep> steps_;
  TbbThreads* threads_;
  uint64_t scratch_stride_;
};

}  // namespace

std::unique_ptr<CompiledSegment> TbbThreads::MakeSegment(std::vector<CpuStep> steps,
                                                         uint64_t scratch_stride) {
  return std::make_unique<TbbSegment>(std::move(steps), this, scratch_stride);
}

}  // namespace infer
