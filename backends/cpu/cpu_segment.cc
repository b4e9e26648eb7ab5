// SPDX-License-Identifier: Apache-2.0
#include "backends/cpu/cpu_segment.h"

#include <utility>

#include "backends/cpu/step_timer.h"

namespace infer {

bool WantsToStop(const RunContext& context) {
  return context.stop != nullptr && context.stop->load(std::memory_order_relaxed);
}

absl::Status Stopped() { return absl::CancelledError("stopped"); }

void RunWhole(const CpuKernel& kernel, const KernelArgs& args) {
  for (const CpuPhase& phase : kernel.phases()) {
    const int64_t units = UnitsOf(phase, args);
    if (units > 0) phase.run(args, 0, units);
  }
}

namespace {

class SerialSegment : public CompiledSegment {
 public:
  explicit SerialSegment(std::vector<CpuStep> steps) : steps_(std::move(steps)) {}

  absl::Status Run(const RunContext& context, const SegmentCall& call) const override {
    return context.events != nullptr ? Walk<true>(context, call) : Walk<false>(context, call);
  }

 private:
  template <bool kTimed>
  absl::Status Walk(const RunContext& context, const SegmentCall& call) const {
    StepTimer<kTimed> timer(context.events, 0);
    for (const CpuStep& step : steps_) {
      if (WantsToStop(context)) return Stopped();
      const KernelArgs& args = call.args[step.number];
      if constexpr (kTimed) context.events->CountRows(step.number, args);
      timer.Begin(step.number);
      RunWhole(*step.kernel, args);
      timer.End();
      if (context.observer != nullptr) context.observer->AfterStep(*step.node, args);
    }
    return absl::OkStatus();
  }

  std::vector<CpuStep> steps_;
};

}  // namespace

std::unique_ptr<CompiledSegment> MakeSerialSegment(std::vector<CpuStep> steps) {
  return std::make_unique<SerialSegment>(std::move(steps));
}

}  // namespace infer
