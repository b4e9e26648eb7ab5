// SPDX-License-Identifier: Apache-2.0
#include "tools/serve/metrics/request_timer.h"

namespace infer::metrics {
namespace {

double SecondsBetween(RequestTimer::Clock::time_point from, RequestTimer::Clock::time_point to) {
  return std::chrono::duration<double>(to - from).count();
}

}  // namespace

void RequestTimer::OnToken(int32_t choice, Clock::time_point now) {
  if (!has_token_) metrics_->RecordFirstToken(SecondsBetween(arrival_, now));
  has_token_ = true;
  const auto index = static_cast<size_t>(choice);
  if (index >= last_token_.size()) last_token_.resize(index + 1, Clock::time_point::min());
  Clock::time_point& last = last_token_[index];
  if (last != Clock::time_point::min()) metrics_->RecordTokenGap(SecondsBetween(last, now));
  last = now;
}

void RequestTimer::OnEnd(const RequestSummary& summary, const absl::Status& status,
                         Clock::time_point now) {
  if (status.code() == absl::StatusCode::kCancelled) {
    finish_ = Finish::kAbort;
  } else if (!status.ok()) {
    finish_ = Finish::kError;
  }
  metrics_->RecordEnd(summary, finish_, SecondsBetween(arrival_, now));
}

}  // namespace infer::metrics
