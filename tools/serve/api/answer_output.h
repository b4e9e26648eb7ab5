// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <utility>

#include "tools/serve/api/answer_shape.h"
#include "tools/serve/api/api_error.h"
#include "tools/serve/http/http.h"

namespace infer::serve {

// What the client of one request is sent: a whole response, or a stream of events, and one end of
// it whoever comes first. May be used from any thread.
class AnswerOutput {
 public:
  using Clock = std::chrono::steady_clock;

  AnswerOutput(std::shared_ptr<http::Responder> responder, ErrorDialect dialect)
      : responder_(std::move(responder)), dialect_(dialect), last_write_(Clock::now()) {}

  // The client has gone.
  void Close();
  // Whether there is nobody to send anything to, or nothing more to send.
  bool is_closed() const;

  // Sends a whole response. Returns false if something was sent before.
  bool Send(http::Response response);
  // Begins a stream, with its first events, unless something was sent before. `shape` writes what
  // is sent beside the events of the answer, and must outlive this.
  void StartStream(http::Headers headers, std::string events, AnswerShape* shape);
  // Drops the events unless the stream is open.
  void Write(std::string events);
  // Ends the stream with these events. Returns false if it was not open.
  bool EndStream(std::string events);
  // Ends with an error: as a status of HTTP or, in a stream, as the last event.
  void Fail(const ApiError& error);
  // Sends something if nothing was sent in an open stream for `quiet`, so that the client stays.
  void KeepAlive(Clock::time_point now, Clock::duration quiet);

 private:
  enum class State : uint8_t { kNothingSent, kStreaming, kEnded };

  const std::shared_ptr<http::Responder> responder_;
  const ErrorDialect dialect_;

  mutable std::mutex mutex_;
  State state_ = State::kNothingSent;
  bool closed_ = false;
  AnswerShape* shape_ = nullptr;  // of a stream
  Clock::time_point last_write_;
};

}  // namespace infer::serve
