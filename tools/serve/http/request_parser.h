// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "tools/serve/http/http.h"
#include "tools/serve/http/problem.h"

namespace infer::http {

// The head of a request as parsed, before anything in it is trusted.
struct Head {
  std::string method = {};
  std::string target = {};
  int version = 11;  // 10 or 11
  bool keep_alive = true;
  bool has_body = false;
  Headers headers = {};  // names in lower case

  // The number of fields with this name in lower case.
  size_t Count(std::string_view name) const;
  std::string_view Value(std::string_view name) const;
};

// Parses one request: the head at once, the body in pieces.
class RequestParser {
 public:
  // Of a chunked body: the line with a chunk's size and extensions, or all trailers together.
  static constexpr size_t kMaxFramingBytes = 4 << 10;

  explicit RequestParser(size_t max_body_bytes);
  ~RequestParser();

  // `head` ends with the empty line and has passed CheckHead.
  std::optional<Problem> ParseHead(std::string_view head, Head* parsed);
  // Takes a prefix of `bytes`, the rest of which must come again in the next call. A rest of
  // kMaxFramingBytes or more cannot become part of a body.
  std::optional<Problem> PutBody(std::string_view bytes, size_t* taken);
  bool is_done() const;
  size_t body_bytes() const;
  std::string TakeBody();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace infer::http
