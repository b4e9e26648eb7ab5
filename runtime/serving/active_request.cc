// SPDX-License-Identifier: Apache-2.0
#include "runtime/serving/active_request.h"

#include <algorithm>
#include <exception>

#include "ir/base/strings.h"

namespace infer {

ActiveRequest::ActiveRequest(RequestId id, Engine* engine, TokenRequest request,
                             std::shared_ptr<RequestListener> listener)
    : request_(std::move(request)),
      listener_(std::move(listener)),
      submitted_(ServingClock::now()),
      open_choices_(request_.choices) {
  summary_.id = id;
  summary_.prompt_tokens = std::ssize(request_.prompt);
  for (int32_t choice = 0; choice < request_.choices; ++choice) {
    streams_.push_back(std::make_unique<TextStream>(engine, &request_, choice));
  }
}

template <class Call>
void ActiveRequest::Guard(const Call& call) {
  if (listener_ == nullptr || failed()) return;
  try {
    call();
  } catch (const std::exception& error) {
    failure_ = absl::InternalError(
        StrCat("the listener of request ", id(), " threw an exception: ", error.what()));
  } catch (...) {
    failure_ = absl::InternalError(StrCat("the listener of request ", id(), " threw something"));
  }
}

void ActiveRequest::Admitted(ServingClock::time_point queued_since, ServingClock::time_point now) {
  summary_.queue_ms += MsBetween(queued_since, now);
  if (was_admitted_) return;
  was_admitted_ = true;
  first_call_ = now;
  Guard([this] { listener_->OnAdmitted(summary_); });
}

bool ActiveRequest::ReportToken(const TextStream& stream, int32_t token,
                                ServingClock::time_point now) {
  if (summary_.generated_tokens == 0) {
    first_token_ = now;
    summary_.prefill_ms = MsBetween(first_call_, now);
  }
  last_token_ = now;
  summary_.decode_ms = MsBetween(first_token_, now);
  ++summary_.generated_tokens;
  if (std::ranges::find(request_.end_ids, token) != request_.end_ids.end()) return true;
  has_news_ = true;
  bool goes_on = true;
  Guard([&] {
    TokenOutput output = {.choice = stream.choice(), .id = token};
    if (const RowLogprobs* logprobs = stream.logprobs()) {
      output.logprob = logprobs->chosen;
      output.top = logprobs->top;
    }
    goes_on = listener_->OnToken(output);
  });
  return goes_on;
}

void ActiveRequest::ReportChoiceEnd(int32_t choice, ChoiceEnd end) {
  --open_choices_;
  has_news_ = true;
  Guard([&] { listener_->OnChoiceEnd(choice, end); });
}

void ActiveRequest::ReportStepEnd() {
  if (!has_news_) return;
  has_news_ = false;
  Guard([this] { listener_->OnStepEnd(); });
}

void ActiveRequest::ReportEnd(const absl::Status& status) {
  if (listener_ == nullptr) return;
  // The last call comes whatever the listener did before.
  failure_ = absl::OkStatus();
  Guard([&] { listener_->OnEnd(summary_, status); });
  listener_ = nullptr;
}

RunningRequest ActiveRequest::Describe(ServingClock::time_point now) const {
  RunningRequest described = {.id = summary_.id,
                              .tenant = request_.tenant,
                              .is_waiting = true,
                              .is_paused = paused,
                              .prompt_tokens = summary_.prompt_tokens,
                              .cached_tokens = summary_.cached_tokens,
                              .generated_tokens = summary_.generated_tokens,
                              .age_ms = MsBetween(submitted_, now)};
  for (const std::unique_ptr<TextStream>& stream : streams_) {
    if (stream == nullptr || !stream->running()) continue;
    described.is_waiting = false;
    described.prompt_done =
        std::max(described.prompt_done, std::min(stream->held(), described.prompt_tokens));
  }
  return described;
}

}  // namespace infer
