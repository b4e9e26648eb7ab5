// SPDX-License-Identifier: Apache-2.0
//
// Errors of requests: a Status that knows which value was wrong, and its form on the wire.
#pragma once

#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "tools/serve/http/http.h"

namespace infer::serve {

// Returns kInvalidArgument about the value at a JSON path such as "messages[0].content".
absl::Status WrongValue(std::string_view path, std::string_view why);

// Returns `status` with a path or a machine-readable code; those that it already has stay.
absl::Status WithPath(absl::Status status, std::string_view path);
absl::Status WithCode(absl::Status status, std::string_view code);

// The request's prompt does not fit; clients cut their history when they see this code.
absl::Status ContextLengthExceeded(std::string_view path, int64_t tokens, int64_t context);

struct ApiError {
  int status = 500;  // of HTTP
  std::string message = {};
  std::string type = {};   // "invalid_request_error"
  std::string param = {};  // JSON path; empty: null
  std::string code = {};   // empty: null
  double retry_after_s = 0;
};

ApiError ErrorOf(const absl::Status& status);
// Returns an error of the HTTP layer, which has a status of its own.
ApiError ErrorOf(int http_status, std::string_view message);

// Whose clients read the error.
enum class ErrorDialect { kOpenAi, kAnthropic };

std::string ErrorJson(const ApiError& error, ErrorDialect dialect);
http::Response ErrorResponse(const ApiError& error, ErrorDialect dialect);

}  // namespace infer::serve
