// SPDX-License-Identifier: Apache-2.0
#include "tools/bench/serve/response_reader.h"

#include <boost/asio/buffer.hpp>
#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/string_body.hpp>
#include <utility>

namespace infer::load {
namespace {

namespace http = boost::beast::http;

constexpr uint32_t kMaxHead = 64 << 10;
constexpr uint64_t kMaxBody = uint64_t{1} << 40;  // streams are read piece by piece

}  // namespace

struct ResponseReader::Parser : http::response_parser<http::string_body> {};

ResponseReader::ResponseReader() : parser_(std::make_unique<Parser>()) {
  parser_->header_limit(kMaxHead);
  parser_->body_limit(kMaxBody);
  parser_->eager(true);
}

ResponseReader::~ResponseReader() = default;

std::string ResponseReader::Feed(std::string_view bytes) {
  std::string body;
  if (state_ == State::kDone || state_ == State::kBad) return body;
  unread_ += bytes;
  size_t used = 0;
  while (used < unread_.size() && !parser_->is_done()) {
    boost::system::error_code error;
    const size_t taken =
        parser_->put(boost::asio::buffer(unread_.data() + used, unread_.size() - used), error);
    used += taken;
    // The library appends to the message's body; taking it out keeps a long stream small.
    body += std::exchange(parser_->get().body(), {});
    if (error == http::error::need_more) break;
    if (error) {
      state_ = State::kBad;
      error_ = error.message();
      break;
    }
    if (taken == 0) break;
  }
  unread_.erase(0, used);
  if (state_ == State::kHead && parser_->is_header_done()) {
    state_ = State::kBody;
    status_ = parser_->get().result_int();
    content_type_ = std::string(parser_->get()[http::field::content_type]);
  }
  if (state_ == State::kBody && parser_->is_done()) state_ = State::kDone;
  return body;
}

void ResponseReader::FeedEnd() {
  if (state_ == State::kDone || state_ == State::kBad) return;
  boost::system::error_code error = http::error::end_of_stream;
  if (parser_->got_some()) parser_->put_eof(error);  // it asserts that there was something
  state_ = error ? State::kBad : State::kDone;
  if (error) error_ = error.message();
}

}  // namespace infer::load
