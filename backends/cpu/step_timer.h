// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "runtime/step_events.h"

namespace infer {

// Records the times of the steps that one thread runs. A template, so that an untimed run compiles
// to the same machine code as without it. The end of a step is the start of the next: the clock,
// about 25 ns per reading, is read twice for a step with a barrier.
template <bool kTimed>
class StepTimer {
 public:
  StepTimer(StepEvents* events, int thread) {
    if constexpr (kTimed) {
      events_ = events->thread(thread).data();
      now_ = StepClockNs();
    }
  }

  void Begin(int32_t step) {
    if constexpr (kTimed) {
      event_ = events_ + step;
      *event_ = {now_, now_, now_, 0};
    }
  }
  void BeginInnerWait() {
    if constexpr (kTimed) now_ = StepClockNs();
  }
  void EndInnerWait() {
    if constexpr (kTimed) event_->inner_wait_ns += StepClockNs() - now_;
  }
  void End() {
    if constexpr (kTimed) event_->end_ns = event_->wait_end_ns = now_ = StepClockNs();
  }
  // Called after the barrier that follows the step.
  void EndWait() {
    if constexpr (kTimed) event_->wait_end_ns = now_ = StepClockNs();
  }

 private:
  StepEvent* events_ = nullptr;  // indexed by step number
  StepEvent* event_ = nullptr;
  int64_t now_ = 0;  // last clock reading
};

}  // namespace infer
