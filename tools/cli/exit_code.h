// SPDX-License-Identifier: Apache-2.0
//
// Maps a Status to the exit code of a process and its one line on stderr.
#pragma once

#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "tools/api/error_kind.h"  // IWYU pragma: export

namespace infer {

// The codes of tools/api/error_kind.h, and those of signals.
enum ExitCode : int {
  kExitOk = 0,
  kExitRuntime = static_cast<int>(ErrorKind::kRuntime),
  kExitUsage = static_cast<int>(ErrorKind::kUsage),
  kExitBadInput = static_cast<int>(ErrorKind::kBadInput),
  kExitNoMemory = static_cast<int>(ErrorKind::kNoMemory),
  kExitUnavailable = static_cast<int>(ErrorKind::kUnavailable),
  kExitVerification = static_cast<int>(ErrorKind::kVerification),
  kExitInterrupted = static_cast<int>(ErrorKind::kCancelled),
  // The reader of stdout has gone. The code that a shell gives a program which SIGPIPE ended.
  kExitClosedPipe = 141,
  kExitTerminated = 143,
};

// Attaches an exit code that is not an error kind: that of a signal or of a closed pipe.
absl::Status WithExitCode(absl::Status status, ExitCode code);

// Marks an error that is not to be reported, because another process reports it, with the exit code
// that it has anyway or this one.
absl::Status Quiet(absl::Status status);
absl::Status Quiet(absl::Status status, ExitCode code);
bool IsQuiet(const absl::Status& status);

// Returns the number of the error's kind.
int ExitCodeFor(const absl::Status& status);

// Returns `error: <message>` as exactly one line with its newline; control characters are escaped.
std::string ErrorLine(const absl::Status& status);

// Writes ErrorLine straight to `fd`, unbuffered. Where a Console exists, use Console::Error, which
// erases the progress line first.
void PrintError(int fd, const absl::Status& status);

}  // namespace infer
