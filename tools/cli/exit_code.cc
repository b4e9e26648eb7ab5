// SPDX-License-Identifier: Apache-2.0
#include "tools/cli/exit_code.h"

#include <utility>

#include "absl/strings/cord.h"
#include "absl/strings/str_format.h"
#include "ir/base/strings.h"
#include "tools/cli/write_all.h"

namespace infer {
namespace {

constexpr absl::string_view kQuiet = "infer/quiet";

}  // namespace

absl::Status WithExitCode(absl::Status status, ExitCode code) {
  return WithErrorKind(std::move(status), static_cast<ErrorKind>(code));
}

absl::Status Quiet(absl::Status status) {
  status.SetPayload(kQuiet, absl::Cord());
  return status;
}

absl::Status Quiet(absl::Status status, ExitCode code) {
  return Quiet(WithExitCode(std::move(status), code));
}

bool IsQuiet(const absl::Status& status) { return status.GetPayload(kQuiet).has_value(); }

int ExitCodeFor(const absl::Status& status) {
  return status.ok() ? kExitOk : static_cast<int>(KindOf(status));
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
      // An escape sequence in a file name must not reach the terminal.
      line += absl::StrFormat("\\x%02x", static_cast<unsigned char>(c));
    } else {
      line += c;
    }
  }
  line += '\n';
  return line;
}

void PrintError(int fd, const absl::Status& status) {
  // There is nowhere to report a failed write to stderr.
  WriteAll(fd, ErrorLine(status), "stderr").IgnoreError();
}

}  // namespace infer
