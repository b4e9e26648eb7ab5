// SPDX-License-Identifier: Apache-2.0
#include "runtime/serving/runner_report.h"

#include <algorithm>
#include <utility>

namespace infer {
namespace {

constexpr double kNewest = 0.1;           // the last ten requests or so decide
constexpr double kLongestPause = 10'000;  // ms; longer ones mean that there was nothing to do
constexpr double kShortestRetry = 1;
constexpr double kLongestRetry = 120;

}  // namespace

void RunnerReport::Publish(RunnerState* state) {
  const std::lock_guard lock(mutex_);
  std::swap(state_, *state);
}

void RunnerReport::AddStep(StepRecord step) {
  const std::lock_guard lock(mutex_);
  step.number = next_step_;
  if (steps_.size() < kSteps) {
    steps_.push_back(step);
  } else {
    steps_[next_step_ % kSteps] = step;
  }
  ++next_step_;
}

void RunnerReport::Beat() { last_beat_ms_ = Now(); }

void RunnerReport::SetIdle(bool idle) {
  Beat();
  idle_ = idle;
}

void RunnerReport::RequestEnded() {
  const std::lock_guard lock(mutex_);
  const double now = Now();
  const double passed = std::min(now - last_end_ms_, kLongestPause);
  ms_between_ends_ += (ms_between_ends_ == 0 ? 1 : kNewest) * (passed - ms_between_ends_);
  last_end_ms_ = now;
}

RunnerState RunnerReport::state() const {
  const std::lock_guard lock(mutex_);
  return state_;
}

std::vector<StepRecord> RunnerReport::steps(uint64_t since) const {
  const std::lock_guard lock(mutex_);
  std::vector<StepRecord> kept;
  since = std::max<uint64_t>(since, next_step_ - steps_.size());
  for (uint64_t number = since; number < next_step_; ++number) {
    kept.push_back(steps_[number % kSteps]);
  }
  return kept;
}

double RunnerReport::heartbeat_age_ms() const {
  return idle_ ? 0 : std::max(0.0, Now() - last_beat_ms_);
}

// Half of the queue will be gone by then.
double RunnerReport::RetryAfterSeconds(int64_t queued) const {
  const std::lock_guard lock(mutex_);
  const double seconds = static_cast<double>(queued) / 2 * ms_between_ends_ / 1000;
  return std::clamp(seconds, kShortestRetry, kLongestRetry);
}

}  // namespace infer
