// SPDX-License-Identifier: Apache-2.0
//
// Records what each thread did in one call, as the data behind a timeline.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "runtime/step_recorder.h"

namespace infer {

// A node on a thread, in ns from the start of the call; all 0 if the thread took no part in it.
struct TimelineEvent {
  int64_t start_ns = 0;
  int64_t end_ns = 0;
  int64_t wait_end_ns = 0;    // when the thread left the barrier after it; else end_ns
  int64_t inner_wait_ns = 0;  // part of the time between start and end
  bool operator==(const TimelineEvent&) const = default;
};

struct CallTimeline {
  int64_t tokens = 0;  // T; 0 means no timeline was recorded
  int64_t logit_rows = 0;
  int64_t positions = 0;
  int64_t wall_ns = 0;
  std::vector<std::vector<TimelineEvent>> threads;  // indexed by thread, then by node of the regime
  bool operator==(const CallTimeline&) const = default;
};

// Fills `timeline` from a recorded call. `steps` are the nodes' step numbers in the plan. Does not
// allocate if the timeline already has the same steps and threads.
void FillTimeline(const RecordedCall& call, std::span<const int32_t> steps, CallTimeline* timeline);

}  // namespace infer
