// SPDX-License-Identifier: Apache-2.0
#include "tools/serve/api/answer_output.h"

#include <utility>

namespace infer::serve {
namespace {

constexpr char kEventStream[] = "text/event-stream; charset=utf-8";

}  // namespace

void AnswerOutput::Close() {
  std::lock_guard<std::mutex> lock(mutex_);
  closed_ = true;
}

bool AnswerOutput::is_closed() const {
  std::lock_guard<std::mutex> lock(mutex_);
  return closed_ || state_ == State::kEnded;
}

bool AnswerOutput::Send(http::Response response) {
  std::lock_guard<std::mutex> lock(mutex_);
  if (state_ != State::kNothingSent) return false;
  state_ = State::kEnded;
  responder_->Send(std::move(response));
  return true;
}

void AnswerOutput::StartStream(http::Headers headers, std::string events, AnswerShape* shape) {
  std::lock_guard<std::mutex> lock(mutex_);
  if (state_ != State::kNothingSent) return;
  state_ = State::kStreaming;
  shape_ = shape;
  responder_->StartStream(kEventStream, std::move(headers));
  if (!events.empty()) responder_->Write(std::move(events));
  last_write_ = Clock::now();
}

void AnswerOutput::Write(std::string events) {
  std::lock_guard<std::mutex> lock(mutex_);
  if (state_ != State::kStreaming) return;
  responder_->Write(std::move(events));
  last_write_ = Clock::now();
}

bool AnswerOutput::EndStream(std::string events) {
  std::lock_guard<std::mutex> lock(mutex_);
  if (state_ != State::kStreaming) return false;
  state_ = State::kEnded;
  responder_->Write(std::move(events));
  responder_->End();
  return true;
}

void AnswerOutput::Fail(const ApiError& error) {
  std::lock_guard<std::mutex> lock(mutex_);
  if (state_ == State::kNothingSent) {
    responder_->Send(ErrorResponse(error, dialect_));
  } else if (state_ == State::kStreaming) {
    std::string event;
    shape_->Fail(error, &event);
    responder_->Write(std::move(event));
    responder_->End();
  }
  state_ = State::kEnded;
}

void AnswerOutput::KeepAlive(Clock::time_point now, Clock::duration quiet) {
  std::lock_guard<std::mutex> lock(mutex_);
  if (state_ != State::kStreaming || closed_ || now - last_write_ < quiet) return;
  responder_->Write(std::string(shape_->ping()));
  last_write_ = now;
}

}  // namespace infer::serve
