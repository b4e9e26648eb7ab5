// SPDX-License-Identifier: Apache-2.0
#include "tools/cli/exit_code.h"

#include <charconv>
#include <optional>

#include "absl/strings/cord.h"
#include "absl/strings/str_format.h"
#include "ir/base/strings.h"
#include "tools/cli/write_all.h"

namespace infer {
namespace {

constexpr char kExitCodePayload[] = "infer/exit-code";

std::optional<int> PayloadExitCode(const absl::Status& status) {
  auto payload = status.GetPayload(kExitCodePayload);
  if (!payload.has_value()) return std::nullopt;
  std::string text(*payload);
  int code = kExitRuntime;
  std::from_chars(text.data(), text.data() + text.size(), code);
  return code;
}

}  // namespace

absl::Status WithExitCode(absl::Status status, ExitCode code) {
  // Through string_view: clang 18 and later mangle Cord's std::string&& constructor differently
  // from the compiler of Debian's Abseil, and would not link.
  std::string text = std::to_string(static_cast<int>(code));
  status.SetPayload(kExitCodePayload, absl::Cord(ToAbsl(text)));
  return status;
}

absl::Status UsageError(std::string_view message) {
  return WithExitCode(absl::InvalidArgumentError(ToAbsl(message)), kExitUsage);
}

absl::Status AsUsageError(const absl::Status& status) {
  return status.ok() ? status : WithExitCode(status, kExitUsage);
}

absl::Status VerificationFailed(std::string_view message) {
  return WithExitCode(absl::FailedPreconditionError(ToAbsl(message)), kExitVerification);
}

int ExitCodeFor(const absl::Status& status) {
  if (status.ok()) return kExitOk;
  if (std::optional<int> code = PayloadExitCode(status)) return *code;
  switch (status.code()) {
    case absl::StatusCode::kInvalidArgument:
    case absl::StatusCode::kDataLoss:
    case absl::StatusCode::kNotFound:
      return kExitBadInput;
    case absl::StatusCode::kResourceExhausted:
      return kExitNoMemory;
    case absl::StatusCode::kUnavailable:
    case absl::StatusCode::kUnimplemented:
      return kExitUnavailable;
    case absl::StatusCode::kCancelled:
      return kExitInterrupted;
    default:
      return kExitRuntime;
  }
}

std::string ErrorLine(const absl::Status& status) {
  std::string line = "error: ";
  std::string_view message = ToStd(status.message());
  if (message.empty()) message = "failed without a message";
  for (char c : message) {
    if (c == '\n') {
      line += "\\n";
    } else if (c == '\r') {
      line += "\\r";
    } else if (c == '\t') {
      line += "\\t";
    } else if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) {
      // A file name with an escape sequence must not reach the terminal as one.
      line += absl::StrFormat("\\x%02x", static_cast<unsigned char>(c));
    } else {
      line += c;
    }
  }
  line += '\n';
  return line;
}

void PrintError(int fd, const absl::Status& status) {
  // A failed write to stderr has nowhere to be reported.
  WriteAll(fd, ErrorLine(status), "stderr").IgnoreError();
}

}  // namespace infer
