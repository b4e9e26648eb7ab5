// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include "tools/serve/http/http.h"
#include "tools/serve/http/io_loop.h"

namespace infer::http {

// The answer to one request between the handler, on any thread, and the connection, on the I/O
// thread. Collects what the handler writes until the connection can send it.
class Exchange {
 public:
  using Clock = std::chrono::steady_clock;

  // `wake` runs on the I/O thread when there is something new to take.
  Exchange(std::shared_ptr<Poster> poster, std::function<void()> wake, size_t max_unsent_bytes);

  // For the handler; see Responder. Thread-safe.
  void Send(Response response);
  void StartStream(const std::string& content_type, const Headers& headers);
  void Write(std::string piece);
  void End();
  void OnClosed(std::function<void()> closed);
  void OnBacklog(std::function<void(bool is_full)> backlog);
  size_t unsent_bytes() const;
  // The handler has dropped its responder.
  void Abandon();

  // For the connection, on the I/O thread.

  struct Output {
    std::optional<Response> response = {};  // the whole answer
    bool begins_stream = false;             // with content_type and headers
    std::string content_type = {};
    Headers headers = {};
    std::string data = {};  // of the stream
    bool ends_stream = false;
    bool is_abandoned = false;  // the handler gave no answer and never will
  };
  // To be called by `wake`. Returns false if the stream cannot go on: it was dropped by the handler
  // before its end, or far too much is unsent.
  bool OnWake();
  // Takes what can be sent, at most `max_bytes` of a stream.
  Output Take(size_t max_bytes);
  // `bytes` that were taken have been sent.
  void MarkSent(size_t bytes);
  // The client has gone: tells the handler.
  void Close();
  // The answer is complete.
  void Finish();
  // Whether more than the limit has been unsent for so long.
  bool IsStuck(Clock::time_point now, double seconds) const;

 private:
  enum class State { kOpen, kAnswered, kClosed };
  // Of the handler. Their captures may hold the last reference to the responder, so they are called
  // and destroyed without the lock.
  struct Callbacks {
    std::function<void()> closed = {};
    std::function<void(bool)> backlog = {};
  };
  // Posts `wake_` unless that is already under way. Needs the lock.
  void Wake();
  // Tells the handler if the backlog has become full or drained.
  void ReportBacklog();
  // Ends the exchange; returns the callbacks. Needs the lock.
  Callbacks Leave(State state);

  const std::shared_ptr<Poster> poster_;
  const size_t max_unsent_bytes_;
  mutable std::mutex mutex_ = {};
  std::function<void()> wake_;
  State state_ = State::kOpen;
  bool is_woken_ = false;
  bool is_streaming_ = false, stream_began_ = false, is_ended_ = false, is_broken_ = false;
  bool has_answer_ = false, is_abandoned_ = false;
  std::optional<Response> response_ = {};
  std::string content_type_ = {};
  Headers headers_ = {};
  std::string pending_ = {};
  size_t in_flight_bytes_ = 0;  // taken and not yet sent
  Callbacks callbacks_ = {};
  bool is_full_ = false;
  Clock::time_point full_since_ = {};
};

// The handler's end of an exchange.
std::shared_ptr<Responder> MakeResponder(std::shared_ptr<Exchange> exchange);

}  // namespace infer::http
