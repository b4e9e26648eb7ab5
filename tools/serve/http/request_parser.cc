// SPDX-License-Identifier: Apache-2.0
#include "tools/serve/http/request_parser.h"

#include <algorithm>
#include <boost/asio/buffer.hpp>
#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/string_body.hpp>
#include <cctype>
#include <utility>

#include "absl/strings/match.h"
#include "ir/base/strings.h"

namespace infer::http {
namespace {

namespace beast = boost::beast;

std::string ToString(beast::string_view text) { return {text.data(), text.size()}; }

// Refuses what could make a proxy see another end of the body than we do.
std::optional<Problem> CheckFraming(const Head& head) {
  const size_t lengths = head.Count("content-length");
  const size_t encodings = head.Count("transfer-encoding");
  if (lengths + encodings > 1) {
    return Bad("more than one Content-Length or Transfer-Encoding header");
  }
  if (encodings == 1) {
    if (head.version == 10) return Bad("Transfer-Encoding is not part of HTTP/1.0");
    if (!absl::EqualsIgnoreCase(ToAbsl(head.Value("transfer-encoding")), "chunked")) {
      return Bad("the only supported Transfer-Encoding is 'chunked'");
    }
  }
  const std::string_view length = head.Value("content-length");
  const auto is_digit = [](char c) { return c >= '0' && c <= '9'; };
  if (lengths == 1 && (length.empty() || !std::ranges::all_of(length, is_digit))) {
    return Bad("Content-Length must be a number");
  }
  return {};
}

// Whether the line of a chunk's size has arrived, with the trailers if it is the last chunk.
bool HasWholeFraming(std::string_view framing) {
  constexpr std::string_view kLineEnd = "\r\n";
  if (framing.starts_with(kLineEnd)) framing.remove_prefix(kLineEnd.size());  // of the chunk before
  const size_t line_end = framing.find(kLineEnd);
  if (line_end == framing.npos) return false;
  const char behind_zeros = framing[framing.find_first_not_of('0')];
  const bool is_last = std::isxdigit(static_cast<unsigned char>(behind_zeros)) == 0;
  return !is_last || framing.find("\r\n\r\n", line_end) != framing.npos;
}

}  // namespace

size_t Head::Count(std::string_view name) const {
  return std::ranges::count(headers, name,
                            [](const auto& field) -> std::string_view { return field.first; });
}

std::string_view Head::Value(std::string_view name) const {
  for (const auto& [key, value] : headers) {
    if (key == name) return value;
  }
  return {};
}

struct RequestParser::State {
  explicit State(size_t max_body) : max_body_bytes(max_body) {
    parser.eager(true);
    parser.body_limit(max_body);
    // The head has been limited before; this one is for trailers.
    parser.header_limit(64 << 10);
  }

  Problem ProblemOf(const beast::error_code& error) const {
    if (error == beast::http::error::body_limit) {
      return {.status = 413,
              .message = StrCat("the request body is larger than ", max_body_bytes, " bytes")};
    }
    return Bad(StrCat("malformed request: ", error.message()));
  }

  size_t max_body_bytes;
  beast::http::request_parser<beast::http::string_body> parser = {};
};

RequestParser::RequestParser(size_t max_body_bytes)
    : state_(std::make_unique<State>(max_body_bytes)) {}
RequestParser::~RequestParser() = default;

std::optional<Problem> RequestParser::ParseHead(std::string_view head, Head* parsed) {
  auto& parser = state_->parser;
  beast::error_code error;
  parser.put(boost::asio::const_buffer(head.data(), head.size()), error);
  if (error && error != beast::http::error::need_more) return state_->ProblemOf(error);
  if (!parser.is_header_done()) return Bad("malformed request head");
  const auto& message = parser.get();
  parsed->method = ToString(message.method_string());
  parsed->target = ToString(message.target());
  parsed->version = static_cast<int>(message.version());
  parsed->keep_alive = message.keep_alive();
  parsed->headers.clear();
  for (const auto& field : message) {
    std::string name = ToString(field.name_string());
    for (char& c : name) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c;
    parsed->headers.emplace_back(std::move(name), ToString(field.value()));
  }
  parsed->has_body = !parser.is_done();
  return CheckFraming(*parsed);
}

std::optional<Problem> RequestParser::PutBody(std::string_view bytes, size_t* taken) {
  // Beast 1.81 asserts that it gets this many once it has seen the last chunk, which is "0", CR LF,
  // CR LF. No chunked body ends with fewer, so waiting for them costs nothing.
  const size_t min_bytes = state_->parser.chunked() ? 5 : 1;
  // It takes a line of any length that has arrived as a whole. Seeing no more than the limit at a
  // time, it refuses the same bodies however their bytes arrive.
  const size_t max_bytes = state_->parser.chunked() ? kMaxFramingBytes : bytes.size();
  *taken = 0;
  while (!is_done()) {
    beast::error_code error;
    const std::string_view rest = bytes.substr(*taken, max_bytes);
    if (rest.size() < min_bytes) break;
    const size_t used =
        state_->parser.put(boost::asio::const_buffer(rest.data(), rest.size()), error);
    *taken += used;
    if (error && error != beast::http::error::need_more) return state_->ProblemOf(error);
    // It reads quotes that are open on behind the end of their line, and counts the size of the
    // chunk against the limit each time that it looks at the line.
    const bool wants_more = error == beast::http::error::need_more;
    if (wants_more && state_->parser.chunked() && HasWholeFraming(rest.substr(used))) {
      return Bad("malformed request: quotes in a chunk extension are not closed");
    }
    if (used == 0) break;
  }
  return {};
}

bool RequestParser::is_done() const { return state_->parser.is_done(); }
size_t RequestParser::body_bytes() const { return state_->parser.get().body().size(); }
std::string RequestParser::TakeBody() { return std::move(state_->parser.get().body()); }

}  // namespace infer::http
