// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "tools/serve/http/exchange.h"
#include "tools/serve/http/http.h"
#include "tools/serve/http/listen_socket.h"
#include "tools/serve/http/request_reader.h"
#include "tools/serve/http/request_rules.h"
#include "tools/serve/http/server_options.h"
#include "tools/serve/http/stream.h"

namespace infer::http {

struct Counters {
  std::atomic<uint64_t> open_connections = 0, accepted_connections = 0, refused_connections = 0,
                        accept_failures = 0, requests = 0, refused_requests = 0,
                        unauthorized_requests = 0, read_timeouts = 0, write_timeouts = 0,
                        lost_clients = 0;
};

class Connection;

// What all connections of a server share. Used on the I/O thread alone.
struct ConnectionContext {
  const ServerOptions& options;
  Handler* handler;
  const RequestRules& rules;
  std::shared_ptr<Poster> poster = {};
  Counters* counters;
  BodyBudget budget;
  std::function<void(Connection*)> on_closed;
  bool is_draining = false;
};

// One connection: reads a request, hands it to the handler, sends the answer, and so on. Lives on
// the I/O thread. While a request is answered the connection is read on, to notice at once when
// the client leaves; what arrives meanwhile is kept for the next request, up to a limit.
class Connection : public std::enable_shared_from_this<Connection> {
 public:
  using Clock = std::chrono::steady_clock;

  Connection(ConnectionContext* context, std::unique_ptr<Stream> stream, Peer peer);
  ~Connection();

  // Begins with the handshake.
  void Start();
  // Answers that the server is full, whatever the client sends.
  void StartRefused();
  // Closes an idle connection; any other after its current answer.
  void Drain();
  // Closes at once.
  void Abort();
  // Acts on what takes too long. To be called several times a second.
  void CheckDeadline(Clock::time_point now);

  const Peer& peer() const { return peer_; }

 private:
  enum class State { kHandshake, kReading, kAnswering, kLingering, kClosed };
  // What is being written, in slices.
  struct Outgoing {
    std::string head = {}, data = {}, tail = {};
    size_t written = 0;       // of `data`
    size_t stream_bytes = 0;  // of `data` that the exchange waits to hear of
    bool is_last = false;     // of the answer
    bool is_interim = false;  // "100 Continue"
  };

  void SetDeadline(double seconds);
  void ClearDeadline() { deadline_ = Clock::time_point::max(); }

  // Reading.
  void ReadOn();
  void OnRead(std::string_view bytes);
  void OnEnd();
  void Advance();
  void SetReadDeadline();
  void BeginRequest();
  void Refuse(const Problem& problem);
  void BeginExchange();

  // Writing.
  void OnWake();
  void SendNext();
  bool Compose(Exchange::Output output);
  void ComposeResponse(Response response);
  void ComposeStream(Exchange::Output output);
  void StartWrite();
  void WriteSlice();
  void OnSliceWritten(bool ok);
  void OnWritten();
  void FinishAnswer();

  void Linger();
  // The client has gone, or has to go, before its answer is complete.
  void Drop();
  void Close();
  void RecordAccess(bool is_complete);

  ConnectionContext* const context_;
  const std::unique_ptr<Stream> stream_;
  const Peer peer_;
  RequestReader reader_;
  State state_ = State::kHandshake;
  Clock::time_point deadline_ = Clock::time_point::max();
  Clock::time_point phase_start_ = {};  // of the request's head or body
  Clock::time_point request_start_ = {};
  bool is_first_ = true;                 // no request has been read yet
  bool reads_ = false, writes_ = false;  // an operation is under way
  bool has_ended_ = false;               // the client sends no more
  bool is_chunked_ = false;

  // Of the current answer.
  AnswerContext answer_ = {};
  std::shared_ptr<Exchange> exchange_ = {};
  AccessRecord record_ = {};
  Outgoing outgoing_ = {};
};

}  // namespace infer::http
