// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <vector>

#include "tools/serve/metrics/server_metrics.h"

namespace infer::metrics {

// Measures one request for ServerMetrics. A RequestListener owns one and passes on what it hears;
// nothing here locks.
class RequestTimer {
 public:
  using Clock = std::chrono::steady_clock;

  // `arrival` is when the request was complete. `metrics` outlives the timer.
  RequestTimer(ServerMetrics* metrics, Clock::time_point arrival)
      : metrics_(metrics), arrival_(arrival) {}

  void OnToken(int32_t choice, Clock::time_point now = Clock::now());
  void OnChoiceEnd(ChoiceEnd end) { finish_ = FinishOf(end); }
  void OnEnd(const RequestSummary& summary, const absl::Status& status,
             Clock::time_point now = Clock::now());

 private:
  ServerMetrics* metrics_;
  Clock::time_point arrival_;
  std::vector<Clock::time_point> last_token_;  // of each choice; min() before its first
  bool has_token_ = false;
  Finish finish_ = Finish::kStop;
};

}  // namespace infer::metrics
