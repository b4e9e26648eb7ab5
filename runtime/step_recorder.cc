// SPDX-License-Identifier: Apache-2.0
#include "runtime/step_recorder.h"

#include <numeric>

#include "ir/base/hash.h"
#include "ir/graph/node_name.h"
#include "ir/graph/plan.h"
#include "runtime/rank_events.h"

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

// Names the steps of a call, in their order.
uint64_t HashSteps(const Regime& regime) {
  const std::vector<Node*> nodes = regime.graph.nodes();
  Hasher hasher;
  for (const Segment& segment : regime.graph.plan()->segments) {
    for (const Step& step : segment.steps) {
      hasher.Add(uint64_t(step.copy.has_value()));
      if (!step.copy) hasher.Add(NodeName(*nodes[step.node]));
    }
  }
  return hasher.Finish();
}

}  // namespace

StepRecorder::StepRecorder(const Program& program, int threads)
    : StepRecorder(program, std::span(&threads, 1), nullptr) {}

StepRecorder::StepRecorder(const Program& program, std::span<const int> rank_threads,
                           Collective* transport)
    : threads_(rank_threads[0]), transport_(transport) {
  const int all = std::accumulate(rank_threads.begin(), rank_threads.end(), 0);
  for (const Regime& regime : program.regimes) {
    events_.push_back(EventsOf(regime, all));
    steps_hashes_.push_back(HashSteps(regime));
  }
}

StepEvents* StepRecorder::Begin(int regime) {
  regime_ = regime;
  start_ns_ = StepClockNs();
  return &events_[regime];
}

void StepRecorder::End(const SymbolValues& symbols) {
  const RecordedCall call{regime_, symbols, start_ns_, StepClockNs(), &events_[regime_]};
  // A rank that fails here fails the next call too, which returns the error.
  if (transport_ != nullptr) {
    const absl::StatusOr<bool> gathered =
        GatherEvents(*transport_, threads_, steps_hashes_[regime_], {call.start_ns, call.end_ns},
                     &events_[regime_]);
    lacks_ranks_ |= gathered.ok() && !*gathered;
  }
  for (CallObserver* observer : observers_) observer->AfterCall(call);
}

}  // namespace infer
