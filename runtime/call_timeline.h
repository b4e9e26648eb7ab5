// SPDX-License-Identifier: Apache-2.0
//
// What each thread did in one call: what a timeline is drawn of.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "runtime/step_recorder.h"

namespace infer {

// A node on a thread, in ns from the start of the call; all 0 if the thread had no part in it.
struct TimelineEvent {
  int64_t start_ns = 0;
  int64_t end_ns = 0;
  int64_t wait_end_ns = 0;    // when the barrier behind it let the thread go; end_ns without one
  int64_t inner_wait_ns = 0;  // of the time between start and end
  bool operator==(const TimelineEvent&) const = default;
};

struct CallTimeline {
  int64_t tokens = 0;  // T; 0: there is no timeline
  int64_t logit_rows = 0;
  int64_t positions = 0;
  int64_t wall_ns = 0;
  std::vector<std::vector<TimelineEvent>> threads;  // by thread, by node of the regime
  bool operator==(const CallTimeline&) const = default;
};

// `steps`: of the nodes, in the plan. A timeline of the same steps and threads is filled without
// allocating.
void FillTimeline(const RecordedCall& call, std::span<const int32_t> steps, CallTimeline* timeline);

}  // namespace infer
