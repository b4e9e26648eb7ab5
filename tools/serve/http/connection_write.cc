// SPDX-License-Identifier: Apache-2.0
//
// The writing half of Connection: takes what the handler gives to the exchange, frames and sends
// it.
#include <algorithm>
#include <utility>

#include "absl/strings/str_format.h"
#include "ir/base/strings.h"
#include "tools/serve/http/answer_head.h"
#include "tools/serve/http/connection.h"

namespace infer::http {
namespace {

// Bytes of one write. Each has unsent_seconds of time, so this sets the slowest rate of a reader.
constexpr size_t kSliceBytes = 64 << 10;

}  // namespace

void Connection::OnWake() {
  if (state_ != State::kAnswering || exchange_ == nullptr) return;
  if (!exchange_->OnWake()) return Drop();
  if (!writes_) SendNext();
}

void Connection::SendNext() {
  if (exchange_ != nullptr && Compose(exchange_->Take(kSliceBytes))) StartWrite();
}

// Makes `outgoing_`. Returns false if there is nothing to send.
bool Connection::Compose(Exchange::Output output) {
  outgoing_ = {};
  if (output.is_abandoned) {
    output.response = context_->handler->Error(500, "the request was dropped by the server");
    output.response->status = 500;
  }
  if (output.response.has_value()) {
    ComposeResponse(*std::move(output.response));
    return true;
  }
  ComposeStream(std::move(output));
  return !outgoing_.head.empty() || !outgoing_.data.empty() || outgoing_.is_last;
}

void Connection::ComposeResponse(Response response) {
  record_.status = response.status;
  outgoing_.head = AnswerHeadText(answer_, {.status = response.status,
                                            .content_type = response.content_type,
                                            .headers = response.headers,
                                            .body_bytes = response.body.size()});
  if (!answer_.head_only && !StatusHasNoBody(response.status)) {
    outgoing_.data = std::move(response.body);
  }
  outgoing_.is_last = true;
}

void Connection::ComposeStream(Exchange::Output output) {
  if (output.begins_stream) {
    record_.status = 200;
    is_chunked_ = answer_.version == 11;
    if (!is_chunked_) answer_.keep_alive = false;
    outgoing_.head =
        AnswerHeadText(answer_, {.content_type = output.content_type,
                                 .headers = output.headers,
                                 .framing = is_chunked_ ? Framing::kChunked : Framing::kClose});
  }
  outgoing_.stream_bytes = output.data.size();
  outgoing_.is_last = output.ends_stream || (output.begins_stream && answer_.head_only);
  if (answer_.head_only) return;
  if (is_chunked_ && !output.data.empty()) {
    StrAppend(&outgoing_.head, absl::StrFormat("%x\r\n", output.data.size()));
    outgoing_.tail = "\r\n";
  }
  outgoing_.data = std::move(output.data);
  if (is_chunked_ && output.ends_stream) outgoing_.tail += "0\r\n\r\n";
}

void Connection::StartWrite() {
  writes_ = true;
  record_.bytes += outgoing_.head.size() + outgoing_.data.size() + outgoing_.tail.size();
  WriteSlice();
}

void Connection::WriteSlice() {
  if (state_ == State::kAnswering) SetDeadline(context_->options.unsent_seconds);
  const std::string_view slice =
      std::string_view(outgoing_.data).substr(outgoing_.written, kSliceBytes);
  const bool is_first = outgoing_.written == 0;
  outgoing_.written += slice.size();
  const bool is_last = outgoing_.written == outgoing_.data.size();
  stream_->Write({is_first ? std::string_view(outgoing_.head) : "", slice,
                  is_last ? std::string_view(outgoing_.tail) : ""},
                 [self = shared_from_this()](bool ok) { self->OnSliceWritten(ok); });
}

void Connection::OnSliceWritten(bool ok) {
  if (state_ == State::kClosed) return;
  if (!ok) return Abort();
  if (outgoing_.written < outgoing_.data.size()) return WriteSlice();
  writes_ = false;
  OnWritten();
}

void Connection::OnWritten() {
  const bool is_interim = outgoing_.is_interim;
  const bool is_last = outgoing_.is_last;
  const size_t stream_bytes = outgoing_.stream_bytes;
  outgoing_ = {};
  if (is_interim) {
    // The answer may have come while the interim one was being sent.
    if (state_ == State::kAnswering) SendNext();
    return;
  }
  ClearDeadline();
  if (exchange_ == nullptr) return;
  exchange_->MarkSent(stream_bytes);
  if (state_ != State::kAnswering) return;  // the handler's callback has ended it
  if (is_last) return FinishAnswer();
  SendNext();
}

void Connection::FinishAnswer() {
  std::exchange(exchange_, nullptr)->Finish();
  RecordAccess(true);
  const bool is_open = answer_.keep_alive && !context_->is_draining;
  record_ = {};
  answer_ = {};
  // A client that has left gets no answers to the requests it sent before.
  if (!is_open || has_ended_) return Linger();
  state_ = State::kReading;
  phase_start_ = request_start_ = Clock::now();
  Advance();
}

}  // namespace infer::http
