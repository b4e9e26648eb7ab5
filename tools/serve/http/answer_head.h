// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "tools/serve/http/http.h"
#include "tools/serve/http/request_rules.h"

namespace infer::http {

// How a client finds the end of an answer's body.
enum class Framing {
  kLength,   // Content-Length
  kChunked,  // chunks, for streams
  kClose,    // the end of the connection, for streams to HTTP/1.0
};

struct AnswerHead {
  int status = 200;
  std::string_view content_type = {};
  const Headers& headers;
  Framing framing = Framing::kLength;
  size_t body_bytes = 0;  // for kLength
};

// Returns the status line and the headers, with the empty line. Adds those that every answer has;
// leaves out headers of the handler's that would break the framing, and replaces line breaks in
// their values.
std::string AnswerHeadText(const AnswerContext& context, const AnswerHead& head);

// Whether answers with this status never have a body.
bool StatusHasNoBody(int status);

}  // namespace infer::http
