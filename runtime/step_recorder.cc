// SPDX-License-Identifier: Apache-2.0
#include "runtime/step_recorder.h"

namespace infer {

StepRecorder::StepRecorder(const Program& program, int threads) {
  for (const Regime& regime : program.regimes) {
    size_t steps = 0;
    for (const Segment& segment : regime.graph.plan()->segments) steps += segment.steps.size();
    events_.emplace_back(static_cast<int>(steps), threads);
  }
}

StepEvents* StepRecorder::Begin(int regime) {
  regime_ = regime;
  start_ns_ = StepClockNs();
  return &events_[regime];
}

void StepRecorder::End(const SymbolValues& symbols) {
  const RecordedCall call{regime_, symbols, start_ns_, StepClockNs(), &events_[regime_]};
  for (CallObserver* observer : observers_) observer->AfterCall(call);
}

}  // namespace infer
