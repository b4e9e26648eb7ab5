// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "runtime/engine.h"
#include "runtime/serving/runner_state.h"
#include "runtime/serving/token_request.h"

namespace infer {

struct RunnerOptions {
  int32_t max_running = 64;             // requests whose tokens are in calls at the same time
  int32_t max_waiting = 256;            // requests in the queue; more are refused
  int64_t max_queued_tokens = 1 << 22;  // of all prompts in the queue
  double step_ms = 60;                  // target time of a call while somebody receives tokens
  bool share_prefixes = true;
  bool drafts = true;  // n-gram drafts while few requests run
  // Estimated time in ms of a call; empty: learned from the calls alone.
  std::function<double(const SymbolValues&)> estimate_ms = {};
};

// Runs many requests on one engine, on a thread of its own: admits, schedules, runs one call of
// the model with tokens of many requests, samples, reports. Never waits for a client. All
// functions may be called from any thread.
class RequestRunner {
 public:
  static absl::StatusOr<std::unique_ptr<RequestRunner>> Create(std::shared_ptr<Engine> engine,
                                                               const RunnerOptions& options);
  // Stops.
  ~RequestRunner();

  // Queues a request. kInvalidArgument: the request itself is wrong; kOutOfRange: its prompt does
  // not fit the context; kResourceExhausted: the queue is full, see RetryAfterSeconds. The
  // listener hears nothing after an error.
  absl::StatusOr<RequestId> Submit(TokenRequest request, std::shared_ptr<RequestListener> listener);
  // The request leaves at the next step, OnEnd with kCancelled is its last event. Unknown ids are
  // ignored: the request may have ended meanwhile.
  void Cancel(RequestId id);
  // A paused request keeps what it has and makes no tokens: its client reads too slowly.
  void SetPaused(RequestId id, bool paused);
  // Runs a prefix in idle time, so that the next request that begins with it finds it cached.
  void Prefetch(std::vector<int32_t> tokens, std::string cache_salt);
  // No more requests are accepted (kUnavailable); those queued and running go on.
  void StopAccepting();
  // Ends all requests with kCancelled; listeners hear nothing after it has returned. Other
  // functions may still be called. For an owner whose listeners use the runner and are used by it.
  void Stop();

  // When it is worth trying again, from the measured rate.
  double RetryAfterSeconds() const;
  RunnerState state() const;
  // Steps from number `since` on, as far as they are kept.
  std::vector<StepRecord> steps(uint64_t since) const;
  // Time since the runner's thread last showed that it moves; 0 while it waits for work.
  double heartbeat_age_ms() const;
  const Engine& engine() const;

 private:
  class Loop;
  explicit RequestRunner(std::unique_ptr<Loop> loop);
  std::unique_ptr<Loop> loop_;
};

}  // namespace infer
