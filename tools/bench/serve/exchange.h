// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "tools/bench/serve/response_reader.h"
#include "tools/bench/serve/server_url.h"

namespace infer::load {

// Why a request has no complete answer.
enum class Failure {
  kNone,
  kConnect,      // refused, unreachable, no descriptor left
  kReset,        // the connection broke
  kClosedEarly,  // it ended inside the response, or before the stream's last event
  kTimeout,
  kStatus,      // an HTTP status other than 200
  kBadHttp,     // not an HTTP response
  kBadEvent,    // an event of the stream is not JSON
  kErrorEvent,  // the stream reported an error
};
std::string_view Name(Failure failure);

// Sends one request on a connection of its own and reads the response, without ever blocking.
class Exchange {
 public:
  // Begins to connect.
  Exchange(const ServerUrl& url, std::string request);
  ~Exchange();
  Exchange(const Exchange&) = delete;
  Exchange& operator=(const Exchange&) = delete;

  int fd() const { return fd_; }
  // Returns what poll should wait for.
  short events() const;
  bool is_ended() const { return is_ended_; }
  Failure failure() const { return failure_; }
  const ResponseReader& response() const { return response_; }
  bool is_sent() const { return sent_ == request_.size(); }

  // Does what the connection is ready for; returns the part of the body that came.
  std::string Proceed();
  // Closes the connection; with `reset`, without the farewell of TCP.
  void Leave(bool reset);

 private:
  void End(Failure failure);
  void FinishConnecting();
  void SendMore();
  std::string ReadMore();

  int fd_ = -1;
  std::string request_;
  size_t sent_ = 0;
  bool is_connected_ = false;
  bool is_ended_ = false;
  Failure failure_ = Failure::kNone;
  ResponseReader response_;
};

}  // namespace infer::load
