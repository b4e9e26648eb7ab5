// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>
#include <mutex>
#include <vector>

#include "runtime/serving/active_request.h"
#include "runtime/serving/runner_state.h"

namespace infer {

// What the runner's thread shows of itself. It writes after every step; all other functions may be
// called from any thread.
class RunnerReport {
 public:
  static constexpr size_t kSteps = 4096;  // kept

  RunnerReport() : began_(ServingClock::now()) { Beat(); }

  // For the runner's thread. Publish swaps: `state` gets the former one back, with its memory.
  void Publish(RunnerState* state);
  void AddStep(StepRecord step);
  void Beat();
  void SetIdle(bool idle);
  void RequestEnded();
  double Now() const { return MsBetween(began_, ServingClock::now()); }

  RunnerState state() const;
  std::vector<StepRecord> steps(uint64_t since) const;
  double heartbeat_age_ms() const;
  // By the rate at which requests ended lately.
  double RetryAfterSeconds(int64_t queued) const;

 private:
  const ServingClock::time_point began_;
  std::atomic<double> last_beat_ms_ = 0;
  std::atomic<bool> idle_ = false;
  mutable std::mutex mutex_;
  RunnerState state_;
  std::vector<StepRecord> steps_;  // a ring: step n is at n % kSteps
  uint64_t next_step_ = 0;
  double last_end_ms_ = 0;
  double ms_between_ends_ = 0;  // a moving average; 0: unknown
};

}  // namespace infer
