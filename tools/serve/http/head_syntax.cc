// SPDX-License-Identifier: Apache-2.0
#include "tools/serve/http/head_syntax.h"

#include <algorithm>
#include <string>

#include "ir/base/strings.h"

namespace infer::http {
namespace {

bool IsTokenByte(char c) {
  constexpr std::string_view kMarks = "!#$%&'*+-.^_`|~";
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
         kMarks.find(c) != kMarks.npos;
}

bool IsControl(char c) {
  const auto byte = static_cast<unsigned char>(c);
  return (byte < 0x20 && c != '\t') || byte == 0x7f;
}

std::optional<Problem> CheckRequestLine(std::string_view line) {
  const size_t first = line.find(' ');
  const size_t last = line.rfind(' ');
  if (first == line.npos || first == last) {
    return Bad("the request line must be 'METHOD /path HTTP/1.1'");
  }
  const std::string_view method = line.substr(0, first);
  if (!IsToken(method) || method.size() > 32) return Bad("the request method is not valid");
  const std::string_view target = line.substr(first + 1, last - first - 1);
  const auto is_visible = [](char c) { return c > 0x20 && c < 0x7f; };
  if (target.empty() || !std::ranges::all_of(target, is_visible)) {
    return Bad(
        "the request target may hold only visible ASCII characters; percent-encode the others");
  }
  const std::string_view version = line.substr(last + 1);
  if (version != "HTTP/1.1" && version != "HTTP/1.0") {
    return Bad("unsupported protocol version; this server speaks HTTP/1.0 and HTTP/1.1");
  }
  return {};
}

std::optional<Problem> CheckField(std::string_view line) {
  if (line.front() == ' ' || line.front() == '\t') {
    return Bad("a header line must not begin with a space (folded lines are not supported)");
  }
  const size_t colon = line.find(':');
  if (colon == line.npos) return Bad("a header line has no colon");
  if (!IsToken(line.substr(0, colon))) {
    return Bad("a header name is empty or holds characters that are not allowed");
  }
  return {};
}

}  // namespace

bool IsToken(std::string_view text) {
  return !text.empty() && std::ranges::all_of(text, IsTokenByte);
}

HeadScanner::Result HeadScanner::Refuse(std::string_view message) {
  problem_ = Bad(std::string(message));
  return Result::kBad;
}

HeadScanner::Result HeadScanner::Scan(std::string_view bytes) {
  if (scanned_ == 0 && !bytes.empty()) {
    if (bytes[0] == '\x16') return Refuse("this port speaks plain HTTP, not TLS; use http://");
    if (!IsTokenByte(bytes[0])) return Refuse("the bytes received are not an HTTP request");
  }
  while (scanned_ < bytes.size()) {
    const size_t at = scanned_++;
    const char c = bytes[at];
    const bool after_return = at > 0 && bytes[at - 1] == '\r';
    if (c == '\n') {
      if (!after_return) return Refuse("lines must end with CR LF, found a bare LF");
      if (at >= 3 && bytes[at - 2] == '\n') return Result::kEnd;
    } else if (after_return) {
      return Refuse("lines must end with CR LF, found a bare CR");
    } else if (c != '\r' && IsControl(c)) {
      return Refuse("the request head holds a control character");
    }
  }
  return Result::kMore;
}

std::optional<Problem> CheckHead(std::string_view head) {
  size_t fields = 0;
  bool is_request_line = true;
  while (true) {
    const size_t end = head.find("\r\n");
    const std::string_view line = head.substr(0, end);
    if (end == head.npos || line.empty()) return {};
    auto problem = is_request_line ? CheckRequestLine(line) : CheckField(line);
    if (problem.has_value()) return problem;
    if (!is_request_line && ++fields > kMaxHeaderFields) {
      return Problem{.status = 431,
                     .message = StrCat("more than ", kMaxHeaderFields, " header fields")};
    }
    is_request_line = false;
    head.remove_prefix(end + 2);
  }
}

}  // namespace infer::http
