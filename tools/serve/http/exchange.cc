// SPDX-License-Identifier: Apache-2.0
#include "tools/serve/http/exchange.h"

#include <algorithm>
#include <utility>

namespace infer::http {
namespace {

// A handler that writes on although it was told of the backlog loses its stream at this multiple of
// the limit, so that memory stays bounded whatever it does.
constexpr size_t kBrokenFactor = 16;

class ExchangeResponder final : public Responder {
 public:
  explicit ExchangeResponder(std::shared_ptr<Exchange> exchange) : exchange_(std::move(exchange)) {}
  ~ExchangeResponder() override { exchange_->Abandon(); }

  void Send(Response response) override { exchange_->Send(std::move(response)); }
  void StartStream(const std::string& content_type, const Headers& headers) override {
    exchange_->StartStream(content_type, headers);
  }
  void Write(std::string piece) override { exchange_->Write(std::move(piece)); }
  void End() override { exchange_->End(); }
  void OnClosed(std::function<void()> closed) override { exchange_->OnClosed(std::move(closed)); }
  void OnBacklog(std::function<void(bool)> backlog) override {
    exchange_->OnBacklog(std::move(backlog));
  }
  size_t unsent_bytes() const override { return exchange_->unsent_bytes(); }

 private:
  const std::shared_ptr<Exchange> exchange_;
};

}  // namespace

std::shared_ptr<Responder> MakeResponder(std::shared_ptr<Exchange> exchange) {
  return std::make_shared<ExchangeResponder>(std::move(exchange));
}

Exchange::Exchange(std::shared_ptr<Poster> poster, std::function<void()> wake,
                   size_t max_unsent_bytes)
    : poster_(std::move(poster)), max_unsent_bytes_(max_unsent_bytes), wake_(std::move(wake)) {}

void Exchange::Wake() {
  if (is_woken_ || state_ != State::kOpen) return;
  is_woken_ = true;
  poster_->Post(wake_);
}

void Exchange::Send(Response response) {
  const std::lock_guard lock(mutex_);
  if (has_answer_ || state_ != State::kOpen) return;
  has_answer_ = true;
  response_ = std::move(response);
  Wake();
}

void Exchange::StartStream(const std::string& content_type, const Headers& headers) {
  const std::lock_guard lock(mutex_);
  if (has_answer_ || state_ != State::kOpen) return;
  has_answer_ = true;
  is_streaming_ = true;
  content_type_ = content_type;
  headers_ = headers;
  Wake();
}

void Exchange::Write(std::string piece) {
  const std::lock_guard lock(mutex_);
  if (!is_streaming_ || is_ended_ || is_broken_ || state_ != State::kOpen || piece.empty()) return;
  if (pending_.empty()) {
    pending_ = std::move(piece);
  } else {
    pending_.append(piece);
  }
  if (pending_.size() / kBrokenFactor > max_unsent_bytes_) {
    is_broken_ = true;
    std::string().swap(pending_);
  }
  Wake();
}

void Exchange::End() {
  const std::lock_guard lock(mutex_);
  if (!is_streaming_ || is_ended_ || state_ != State::kOpen) return;
  is_ended_ = true;
  Wake();
}

void Exchange::Abandon() {
  const std::lock_guard lock(mutex_);
  if (state_ != State::kOpen || response_.has_value() || is_ended_) return;
  if (is_streaming_) {
    is_broken_ = true;
  } else if (!has_answer_) {
    has_answer_ = true;
    is_abandoned_ = true;
  }
  Wake();
}

void Exchange::OnClosed(std::function<void()> closed) {
  {
    const std::lock_guard lock(mutex_);
    if (state_ == State::kOpen) callbacks_.closed.swap(closed);
    if (state_ != State::kClosed) return;
  }
  poster_->Post(std::move(closed));
}

void Exchange::OnBacklog(std::function<void(bool)> backlog) {
  const std::lock_guard lock(mutex_);
  if (state_ == State::kOpen) callbacks_.backlog.swap(backlog);
}

size_t Exchange::unsent_bytes() const {
  const std::lock_guard lock(mutex_);
  return pending_.size() + in_flight_bytes_;
}

bool Exchange::OnWake() {
  bool is_broken;
  {
    const std::lock_guard lock(mutex_);
    is_woken_ = false;
    is_broken = is_broken_;
  }
  ReportBacklog();
  return !is_broken;
}

Exchange::Output Exchange::Take(size_t max_bytes) {
  Output output;
  {
    const std::lock_guard lock(mutex_);
    output.is_abandoned = std::exchange(is_abandoned_, false);
    output.response = std::exchange(response_, std::nullopt);
    if (is_streaming_ && !stream_began_) {
      stream_began_ = true;
      output.begins_stream = true;
      output.content_type = std::exchange(content_type_, {});
      output.headers = std::exchange(headers_, {});
    }
    if (pending_.size() <= max_bytes) {
      output.data = std::exchange(pending_, {});
    } else {
      output.data = pending_.substr(0, max_bytes);
      pending_.erase(0, max_bytes);
    }
    in_flight_bytes_ += output.data.size();
    output.ends_stream = is_ended_ && pending_.empty();
  }
  ReportBacklog();
  return output;
}

void Exchange::MarkSent(size_t bytes) {
  {
    const std::lock_guard lock(mutex_);
    in_flight_bytes_ -= bytes;
  }
  ReportBacklog();
}

void Exchange::ReportBacklog() {
  std::function<void(bool)> report;
  bool is_full;
  {
    const std::lock_guard lock(mutex_);
    const size_t unsent = pending_.size() + in_flight_bytes_;
    // A gap between the two marks, so that a stream at the limit does not start and stop with every
    // piece.
    is_full = unsent > max_unsent_bytes_ || (is_full_ && unsent > max_unsent_bytes_ / 2);
    if (is_full == is_full_) return;
    is_full_ = is_full;
    full_since_ = Clock::now();
    report = callbacks_.backlog;
  }
  if (report) report(is_full);
}

Exchange::Callbacks Exchange::Leave(State state) {
  state_ = state;
  std::string().swap(pending_);
  in_flight_bytes_ = 0;
  response_.reset();
  wake_ = nullptr;
  return std::exchange(callbacks_, {});
}

void Exchange::Close() {
  Callbacks callbacks;
  {
    const std::lock_guard lock(mutex_);
    if (state_ != State::kOpen) return;
    callbacks = Leave(State::kClosed);
  }
  if (callbacks.closed) callbacks.closed();
}

void Exchange::Finish() {
  Callbacks callbacks;
  const std::lock_guard lock(mutex_);
  if (state_ == State::kOpen) callbacks = Leave(State::kAnswered);
}

bool Exchange::IsStuck(Clock::time_point now, double seconds) const {
  const std::lock_guard lock(mutex_);
  return is_full_ && now - full_since_ > std::chrono::duration<double>(seconds);
}

}  // namespace infer::http
