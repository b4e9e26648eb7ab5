// SPDX-License-Identifier: Apache-2.0
#include "tools/serve/api/api_error.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include "absl/strings/cord.h"
#include "ir/base/json.h"
#include "ir/base/strings.h"

namespace infer::serve {
namespace {

constexpr char kPathKey[] = "infer/path";
constexpr char kCodeKey[] = "infer/code";

std::string Payload(const absl::Status& status, const char* key) {
  const auto payload = status.GetPayload(key);
  return payload ? std::string(*payload) : "";
}

absl::Status WithPayload(absl::Status status, const char* key, std::string_view value) {
  if (!status.ok() && !status.GetPayload(key)) status.SetPayload(key, absl::Cord(ToAbsl(value)));
  return status;
}

int HttpStatusOf(absl::StatusCode code) {
  switch (code) {
    case absl::StatusCode::kInvalidArgument:
    case absl::StatusCode::kOutOfRange:
    case absl::StatusCode::kFailedPrecondition:
      return 400;
    case absl::StatusCode::kNotFound:
      return 404;
    case absl::StatusCode::kResourceExhausted:
      return 429;
    case absl::StatusCode::kUnavailable:
      return 503;
    default:
      return 500;
  }
}

// What the clients of both vendors call the kind of an error.
struct ErrorType {
  int status;
  std::string_view openai;
  std::string_view anthropic;
};
constexpr ErrorType kErrorTypes[] = {
    {401, "authentication_error", "authentication_error"},
    {403, "permission_error", "permission_error"},
    {404, "not_found_error", "not_found_error"},
    {413, "invalid_request_error", "request_too_large"},
    {429, "rate_limit_error", "rate_limit_error"},
    {503, "service_unavailable_error", "overloaded_error"},
};

std::string_view TypeOf(int status, ErrorDialect dialect) {
  for (const ErrorType& type : kErrorTypes) {
    if (type.status != status) continue;
    return dialect == ErrorDialect::kOpenAi ? type.openai : type.anthropic;
  }
  if (status < 500) return "invalid_request_error";
  return dialect == ErrorDialect::kOpenAi ? "server_error" : "api_error";
}

Json TextOrNull(const std::string& text) { return text.empty() ? Json(nullptr) : Json(text); }

}  // namespace

absl::Status WrongValue(std::string_view path, std::string_view why) {
  return WithPath(absl::InvalidArgumentError(StrCat(path, ": ", why)), path);
}

absl::Status WithPath(absl::Status status, std::string_view path) {
  return WithPayload(std::move(status), kPathKey, path);
}

absl::Status WithCode(absl::Status status, std::string_view code) {
  return WithPayload(std::move(status), kCodeKey, code);
}

absl::Status ContextLengthExceeded(std::string_view path, int64_t tokens, int64_t context) {
  return WithPath(WithCode(absl::OutOfRangeError(
                               StrCat("the maximum context length is ", context, " tokens, and ",
                                      path, " takes ", tokens, " tokens; shorten it by at least ",
                                      tokens - context + 1, " tokens to leave room for an answer")),
                           "context_length_exceeded"),
                  path);
}

ApiError ErrorOf(const absl::Status& status) {
  ApiError error;
  error.status = HttpStatusOf(status.code());
  error.message = std::string(status.message());
  error.param = Payload(status, kPathKey);
  error.code = Payload(status, kCodeKey);
  return error;
}

ApiError ErrorOf(int http_status, std::string_view message) {
  ApiError error;
  error.status = http_status;
  error.message = message;
  return error;
}

std::string ErrorJson(const ApiError& error, ErrorDialect dialect) {
  const std::string type =
      error.type.empty() ? std::string(TypeOf(error.status, dialect)) : error.type;
  Json body;
  if (dialect == ErrorDialect::kAnthropic) {
    body["type"] = "error";
    body["error"] = {{"type", type}, {"message", error.message}};
  } else {
    body["error"] = {{"message", error.message},
                     {"type", type},
                     {"param", TextOrNull(error.param)},
                     {"code", TextOrNull(error.code)}};
  }
  return JsonText(body);
}

http::Response ErrorResponse(const ApiError& error, ErrorDialect dialect) {
  http::Response response;
  response.status = error.status;
  response.body = ErrorJson(error, dialect);
  if (error.status == 429 || error.status == 503) {
    const double seconds = std::clamp(std::ceil(error.retry_after_s), 1.0, 3600.0);
    response.headers.emplace_back("retry-after", StrCat(static_cast<int64_t>(seconds)));
  }
  return response;
}

}  // namespace infer::serve
