// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "runtime/serving/request_runner.h"

namespace infer::serve {

// What the API layer needs of a RequestRunner, so that tests can play one.
class TokenRunner {
 public:
  virtual ~TokenRunner() = default;
  virtual absl::StatusOr<RequestId> Submit(TokenRequest request,
                                           std::shared_ptr<RequestListener> listener) = 0;
  virtual void Cancel(RequestId id) = 0;
  virtual void SetPaused(RequestId id, bool paused) = 0;
  virtual void Prefetch(std::vector<int32_t> tokens, std::string cache_salt) = 0;
  virtual double RetryAfterSeconds() const = 0;
  virtual RunnerState state() const = 0;
  virtual std::vector<StepRecord> steps(uint64_t since) const = 0;
  virtual double heartbeat_age_ms() const = 0;
};

// The real one. `runner` must outlive it.
class EngineTokenRunner final : public TokenRunner {
 public:
  explicit EngineTokenRunner(RequestRunner* runner) : runner_(runner) {}

  absl::StatusOr<RequestId> Submit(TokenRequest request,
                                   std::shared_ptr<RequestListener> listener) override {
    return runner_->Submit(std::move(request), std::move(listener));
  }
  void Cancel(RequestId id) override { runner_->Cancel(id); }
  void SetPaused(RequestId id, bool paused) override { runner_->SetPaused(id, paused); }
  void Prefetch(std::vector<int32_t> tokens, std::string cache_salt) override {
    runner_->Prefetch(std::move(tokens), std::move(cache_salt));
  }
  double RetryAfterSeconds() const override { return runner_->RetryAfterSeconds(); }
  RunnerState state() const override { return runner_->state(); }
  std::vector<StepRecord> steps(uint64_t since) const override { return runner_->steps(since); }
  double heartbeat_age_ms() const override { return runner_->heartbeat_age_ms(); }

 private:
  RequestRunner* runner_;
};

}  // namespace infer::serve
