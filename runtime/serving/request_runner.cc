// SPDX-License-Identifier: Apache-2.0
#include "runtime/serving/request_runner.h"

#include <utility>

#include "ir/base/status_macros.h"
#include "ir/base/strings.h"
#include "runtime/serving/check_request.h"
#include "runtime/serving/runner_loop.h"

namespace infer {

absl::StatusOr<std::unique_ptr<RequestRunner>> RequestRunner::Create(std::shared_ptr<Engine> engine,
                                                                     const RunnerOptions& options) {
  if (options.max_running < 1 || options.max_waiting < 0 || !(options.step_ms > 0)) {
    return absl::InvalidArgumentError(
        StrCat("a runner for ", options.max_running, " running and ", options.max_waiting,
               " waiting requests with steps of ", options.step_ms,
               " ms: expected at least one running request and a time above 0"));
  }
  // A contiguous cache is one block for each sequence: nothing to share, and nothing to hand on.
  if (!engine->cache().is_paged()) {
    return absl::InvalidArgumentError(
        "the runner needs a paged cache; create the engine with block_positions");
  }
  return std::unique_ptr<RequestRunner>(
      new RequestRunner(std::make_unique<Loop>(std::move(engine), options)));
}

RequestRunner::RequestRunner(std::unique_ptr<Loop> loop) : loop_(std::move(loop)) {}
RequestRunner::~RequestRunner() = default;

absl::StatusOr<RequestId> RequestRunner::Submit(TokenRequest request,
                                                std::shared_ptr<RequestListener> listener) {
  RETURN_IF_ERROR(CheckRequest(request, loop_->engine()));
  const RequestId id = loop_->NewId();
  RETURN_IF_ERROR(loop_->inbox().Submit(std::make_unique<ActiveRequest>(
      id, &loop_->engine(), std::move(request), std::move(listener))));
  return id;
}

void RequestRunner::Cancel(RequestId id) { loop_->inbox().Cancel(id); }

void RequestRunner::SetPaused(RequestId id, bool paused) { loop_->inbox().SetPaused(id, paused); }

void RequestRunner::Prefetch(std::vector<int32_t> tokens, std::string cache_salt) {
  loop_->inbox().Prefetch({std::move(tokens), std::move(cache_salt)});
}

void RequestRunner::StopAccepting() { loop_->inbox().StopAccepting(); }

void RequestRunner::Stop() { loop_->Stop(); }

double RequestRunner::RetryAfterSeconds() const {
  return loop_->report().RetryAfterSeconds(loop_->inbox().queued());
}

RunnerState RequestRunner::state() const { return loop_->report().state(); }

std::vector<StepRecord> RequestRunner::steps(uint64_t since) const {
  return loop_->report().steps(since);
}

double RequestRunner::heartbeat_age_ms() const { return loop_->report().heartbeat_age_ms(); }

const Engine& RequestRunner::engine() const { return loop_->engine(); }

}  // namespace infer
