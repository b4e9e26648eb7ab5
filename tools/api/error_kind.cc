// SPDX-License-Identifier: Apache-2.0
#include "tools/api/error_kind.h"

#include <charconv>
#include <string>

#include "absl/strings/cord.h"
#include "ir/base/strings.h"

namespace infer {
namespace {

constexpr char kPayload[] = "infer/error-kind";

}  // namespace

absl::Status WithErrorKind(absl::Status status, ErrorKind kind) {
  // Passed as a string_view: clang 18 and later mangle Cord's std::string&& constructor differently
  // from the compiler of Debian's Abseil, and would not link.
  const std::string text = std::to_string(static_cast<int>(kind));
  status.SetPayload(kPayload, absl::Cord(ToAbsl(text)));
  return status;
}

absl::Status UsageError(std::string_view message) {
  return WithErrorKind(absl::InvalidArgumentError(ToAbsl(message)), ErrorKind::kUsage);
}

absl::Status AsUsageError(const absl::Status& status) {
  return status.ok() ? status : WithErrorKind(status, ErrorKind::kUsage);
}

absl::Status VerificationFailed(std::string_view message) {
  return WithErrorKind(absl::FailedPreconditionError(ToAbsl(message)), ErrorKind::kVerification);
}

ErrorKind KindOf(const absl::Status& status) {
  if (auto payload = status.GetPayload(kPayload)) {
    const std::string text(*payload);
    int kind = static_cast<int>(ErrorKind::kRuntime);
    std::from_chars(text.data(), text.data() + text.size(), kind);
    return static_cast<ErrorKind>(kind);
  }
  switch (status.code()) {
    case absl::StatusCode::kInvalidArgument:
    case absl::StatusCode::kDataLoss:
    case absl::StatusCode::kNotFound:
      return ErrorKind::kBadInput;
    case absl::StatusCode::kResourceExhausted:
      return ErrorKind::kNoMemory;
    case absl::StatusCode::kUnavailable:
    case absl::StatusCode::kUnimplemented:
      return ErrorKind::kUnavailable;
    case absl::StatusCode::kCancelled:
      return ErrorKind::kCancelled;
    default:
      return ErrorKind::kRuntime;
  }
}

}  // namespace infer
