// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "runtime/serving/runner_state.h"
#include "runtime/serving/text_stream.h"
#include "runtime/serving/token_request.h"

namespace infer {

using ServingClock = std::chrono::steady_clock;

inline double MsBetween(ServingClock::time_point from, ServingClock::time_point to) {
  return std::chrono::duration<double, std::milli>(to - from).count();
}

// A request from its submission to its end: its choices, its listener, and what it took. No
// exception of the listener leaves it: such a request has failed() and is to be ended.
class ActiveRequest {
 public:
  ActiveRequest(RequestId id, Engine* engine, TokenRequest request,
                std::shared_ptr<RequestListener> listener);

  RequestId id() const { return summary_.id; }
  const TokenRequest& request() const { return request_; }
  std::vector<std::unique_ptr<TextStream>>& streams() { return streams_; }
  RequestSummary& summary() { return summary_; }
  ServingClock::time_point submitted() const { return submitted_; }

  bool paused = false;

  // The request, or after a preemption a choice of it, leaves the queue.
  void Admitted(ServingClock::time_point queued_since, ServingClock::time_point now);
  bool was_admitted() const { return was_admitted_; }

  // Reports to the listener. Append's token; false if the listener wants no more.
  bool ReportToken(const TextStream& stream, int32_t token, ServingClock::time_point now);
  void ReportChoiceEnd(int32_t choice, ChoiceEnd end);
  void ReportStepEnd();
  void ReportEnd(const absl::Status& status);

  bool all_ended() const { return open_choices_ == 0; }
  bool failed() const { return !failure_.ok(); }
  const absl::Status& failure() const { return failure_; }
  bool has_news() const { return has_news_; }

  RunningRequest Describe(ServingClock::time_point now) const;

 private:
  template <class Call>
  void Guard(const Call& call);

  TokenRequest request_;
  std::shared_ptr<RequestListener> listener_;         // null: nobody listens
  std::vector<std::unique_ptr<TextStream>> streams_;  // a null one has ended
  RequestSummary summary_;
  ServingClock::time_point submitted_;
  ServingClock::time_point first_call_;
  ServingClock::time_point first_token_;
  ServingClock::time_point last_token_;
  int32_t open_choices_;
  bool was_admitted_ = false;
  bool has_news_ = false;  // something was reported since the last ReportStepEnd
  absl::Status failure_;
};

}  // namespace infer
