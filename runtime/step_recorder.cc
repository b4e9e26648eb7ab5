// SPDX-License-Identifier: Apache-2.0
#include "runtime/step_recorder.h"

namespace infer {
namespace {

StepEvents EventsOf(const Regime& regime, int threads) {
  const std::vector<Segment>& segments = regime.graph.plan()->segments;
  size_t steps = 0;
  for (const Segment& segment : segments) steps += segment.steps.size();
  StepEvents events(static_cast<int>(steps), threads);
  const std::vector<Node*> nodes = regime.graph.nodes();
  int number = 0;
  for (const Segment& segment : segments) {
    for (const Step& step : segment.steps) {
      const int this_step = number++;
      if (step.copy) continue;
      const Node& node = *nodes[step.node];
      const int ids = node.op().traits.expert_input;
      if (ids >= 0) events.HasExperts(this_step, ids, node.input(1).type().dim(0).value());
    }
  }
  return events;
}

}  // namespace

StepRecorder::StepRecorder(const Program& program, int threads) {
  for (const Regime& regime : program.regimes) events_.push_back(EventsOf(regime, threads));
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
