// SPDX-License-Identifier: Apache-2.0
//
// The states of a connection, and its reading half; connection_write.cc has the other.
#include "tools/serve/http/connection.h"

#include <algorithm>
#include <exception>
#include <utility>

#include "tools/serve/http/request_id.h"

namespace infer::http {
namespace {

// How long a connection that we close is read on, so that the client receives the answer before it
// hears that nobody reads what it still sends. Longer after a refusal, when it may be in the middle
// of a large body.
constexpr double kLingerSeconds = 0.3;
constexpr double kRefusedLingerSeconds = 2;

}  // namespace

Connection::Connection(ConnectionContext* context, std::unique_ptr<Stream> stream, Peer peer)
    : context_(context),
      stream_(std::move(stream)),
      peer_(std::move(peer)),
      reader_(context->options, context->rules, &context->budget, peer_.text) {}

Connection::~Connection() = default;

void Connection::SetDeadline(double seconds) {
  deadline_ = Clock::now() + std::chrono::microseconds(static_cast<int64_t>(seconds * 1e6));
}

void Connection::Start() {
  SetDeadline(context_->options.header_seconds);
  phase_start_ = Clock::now();
  stream_->Handshake([self = shared_from_this()](bool ok) {
    if (self->state_ != State::kHandshake) return;
    if (!ok) return self->Close();
    self->state_ = State::kReading;
    self->ReadOn();
  });
}

void Connection::StartRefused() {
  state_ = State::kReading;
  Refuse({.status = 503, .message = "too many connections; try again"});
}

void Connection::Drain() {
  answer_.keep_alive = false;
  const bool is_waiting = state_ == State::kReading && reader_.is_idle();
  if (state_ == State::kHandshake || is_waiting) Close();
}

void Connection::Abort() {
  if (state_ == State::kClosed) return;
  if (exchange_ != nullptr) return Drop();
  Close();
}

void Connection::CheckDeadline(Clock::time_point now) {
  if (state_ == State::kClosed) return;
  const double unsent_seconds = context_->options.unsent_seconds;
  const bool is_stuck = exchange_ != nullptr && exchange_->IsStuck(now, unsent_seconds);
  if (now < deadline_ && !is_stuck) return;
  ClearDeadline();
  switch (state_) {
    case State::kHandshake:
      ++context_->counters->read_timeouts;
      return Close();
    case State::kReading:
      if (reader_.is_idle()) return Close();
      ++context_->counters->read_timeouts;
      return Refuse({.status = 408,
                     .message = reader_.is_in_body() ? "the request body arrived too slowly"
                                                     : "the request head arrived too slowly"});
    case State::kAnswering:
      ++context_->counters->write_timeouts;
      return Drop();
    case State::kLingering:
    case State::kClosed:
      return Close();
  }
}

void Connection::ReadOn() {
  const bool is_full =
      state_ == State::kAnswering && reader_.buffered_bytes() >= context_->options.max_header_bytes;
  if (reads_ || has_ended_ || is_full || state_ == State::kClosed) return;
  reads_ = true;
  stream_->Read([self = shared_from_this()](std::string_view bytes) {
    self->reads_ = false;
    if (self->state_ != State::kClosed) self->OnRead(bytes);
  });
}

void Connection::OnRead(std::string_view bytes) {
  if (bytes.empty()) {
    has_ended_ = true;
    return OnEnd();
  }
  if (state_ == State::kLingering) return ReadOn();
  if (state_ == State::kReading && reader_.is_idle()) {
    request_start_ = Clock::now();
    // The first request has its time from the moment of connecting.
    if (!is_first_) phase_start_ = request_start_;
  }
  reader_.Append(bytes);
  if (state_ == State::kReading) return Advance();
  ReadOn();
}

// The client has closed, or at least sends no more, which looks the same. An answer that is already
// on its way is sent all the same; one that has yet to be made would be made for nobody.
void Connection::OnEnd() {
  if (state_ == State::kAnswering) {
    if (!outgoing_.is_last) Drop();
    return;
  }
  Close();
}

void Connection::Advance() {
  while (true) {
    const bool was_in_body = reader_.is_in_body();
    switch (reader_.Advance()) {
      case RequestReader::Progress::kNeedMore:
        if (has_ended_) return Close();
        if (!was_in_body && reader_.is_in_body()) phase_start_ = Clock::now();
        SetReadDeadline();
        return ReadOn();
      case RequestReader::Progress::kSendContinue:
        phase_start_ = Clock::now();
        outgoing_ = {.head = "HTTP/1.1 100 Continue\r\n\r\n", .is_interim = true};
        StartWrite();
        break;
      case RequestReader::Progress::kRequest:
        return BeginRequest();
      case RequestReader::Progress::kResponse:
        BeginExchange();
        return exchange_->Send(*std::move(reader_.verdict().response));
      case RequestReader::Progress::kProblem:
        return Refuse(*std::exchange(reader_.verdict().problem, Problem{}));
    }
  }
}

void Connection::SetReadDeadline() {
  const ServerOptions& options = context_->options;
  double seconds = options.header_seconds;
  if (reader_.is_in_body()) {
    const double received = static_cast<double>(reader_.body_bytes());
    seconds = options.body_seconds +
              received / static_cast<double>(std::max<size_t>(1, options.min_body_rate));
  } else if (reader_.is_idle() && !is_first_) {
    return SetDeadline(options.idle_seconds);
  }
  deadline_ = phase_start_ + std::chrono::microseconds(static_cast<int64_t>(seconds * 1e6));
}

// Begins an answer to what the reader has read.
void Connection::BeginExchange() {
  HeadVerdict& verdict = reader_.verdict();
  state_ = State::kAnswering;
  is_first_ = false;
  ClearDeadline();
  if (writes_) SetDeadline(context_->options.unsent_seconds);  // the interim answer is under way
  answer_ = verdict.context;
  if (answer_.id.empty()) answer_.id = RequestId("");
  if (context_->is_draining) answer_.keep_alive = false;
  record_ = {.id = answer_.id,
             .method = reader_.method(),
             .path = verdict.request.path,
             .key_name = verdict.request.key_name,
             .peer = peer_.text};
  exchange_ = std::make_shared<Exchange>(
      context_->poster,
      [weak = weak_from_this()] {
        if (auto self = weak.lock()) self->OnWake();
      },
      context_->options.max_unsent_bytes);
}

void Connection::BeginRequest() {
  BeginExchange();
  ++context_->counters->requests;
  ReadOn();
  // An exception of the handler drops the responder, which answers with 500.
  try {
    context_->handler->Handle(std::move(reader_.verdict().request), MakeResponder(exchange_));
  } catch (const std::exception&) {
  }
}

void Connection::Refuse(const Problem& problem) {
  ++context_->counters->refused_requests;
  if (problem.status == 401) ++context_->counters->unauthorized_requests;
  BeginExchange();
  // Where the next request begins is not known.
  answer_.keep_alive = false;
  Response response = context_->handler->Error(problem.status, problem.message);
  response.status = problem.status;
  if (problem.status == 401) {
    response.headers.emplace_back("WWW-Authenticate", "Bearer realm=\"infer\"");
  }
  if (problem.status == 503) response.headers.emplace_back("Retry-After", "1");
  exchange_->Send(std::move(response));
}

void Connection::Linger() {
  state_ = State::kLingering;
  SetDeadline(reader_.has_failed() ? kRefusedLingerSeconds : kLingerSeconds);
  stream_->ShutdownSend([self = shared_from_this()](bool) {});
  if (has_ended_) return Close();
  ReadOn();
}

void Connection::Drop() {
  ++context_->counters->lost_clients;
  RecordAccess(false);
  // Closed first: the handler's callback may end other connections' waits, never this one's.
  const std::shared_ptr<Exchange> exchange = std::exchange(exchange_, nullptr);
  Close();
  if (exchange != nullptr) exchange->Close();
}

void Connection::Close() {
  if (state_ == State::kClosed) return;
  state_ = State::kClosed;
  const std::shared_ptr<Connection> self = shared_from_this();
  stream_->Close();
  context_->on_closed(this);
}

void Connection::RecordAccess(bool is_complete) {
  if (!context_->options.on_access) return;
  record_.is_complete = is_complete;
  if (!is_complete && record_.status == 0) record_.status = 499;
  const auto since = request_start_ == Clock::time_point() ? Clock::now() : request_start_;
  record_.ms = std::chrono::duration<double, std::milli>(Clock::now() - since).count();
  context_->options.on_access(record_);
}

}  // namespace infer::http
