// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "tools/serve/api/token_runner.h"

namespace infer::serve {

// A runner whose tokens the test chooses.
class FakeRunner final : public TokenRunner {
 public:
  struct Submitted {
    TokenRequest request;
    std::shared_ptr<RequestListener> listener;
  };

  absl::StatusOr<RequestId> Submit(TokenRequest request,
                                   std::shared_ptr<RequestListener> listener) override {
    if (!submit_status.ok()) return submit_status;
    submitted.push_back({std::move(request), std::move(listener)});
    return submitted.size();
  }
  void Cancel(RequestId id) override { cancelled.push_back(id); }
  void SetPaused(RequestId id, bool is_paused) override { paused.emplace_back(id, is_paused); }
  void Prefetch(std::vector<int32_t> tokens, std::string salt) override {
    prefetched.emplace_back(std::move(tokens), std::move(salt));
    ++prefetches;
  }
  double RetryAfterSeconds() const override { return 2.5; }
  RunnerState state() const override { return runner_state; }
  std::vector<StepRecord> steps(uint64_t since) const override {
    std::vector<StepRecord> some;
    for (const StepRecord& step : step_records) {
      if (step.number >= since) some.push_back(step);
    }
    return some;
  }
  double heartbeat_age_ms() const override { return heartbeat_ms; }

  absl::Status submit_status;
  std::vector<Submitted> submitted;
  std::vector<RequestId> cancelled;
  std::vector<std::pair<RequestId, bool>> paused;
  std::vector<std::pair<std::vector<int32_t>, std::string>> prefetched;
  std::atomic<int> prefetches = 0;  // may be waited for
  RunnerState runner_state;
  std::vector<StepRecord> step_records;
  double heartbeat_ms = 0;
};

}  // namespace infer::serve
