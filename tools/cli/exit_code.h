// SPDX-License-Identifier: Apache-2.0
//
// How a Status ends a process: its exit code and its one line on stderr.
#pragma once

#include <string>
#include <string_view>

#include "absl/status/status.h"

namespace infer {

enum ExitCode : int {
  kExitOk = 0,
  kExitRuntime = 1,       // failed while running: a write, the system, a bug of ours
  kExitUsage = 2,         // the command line, environment or a config value is wrong
  kExitBadInput = 3,      // a model, graph, policy or text given as input is missing or invalid
  kExitNoMemory = 4,      // does not fit
  kExitUnavailable = 5,   // device not there, or op not supported
  kExitVerification = 6,  // a comparison or check ran and found a difference
  kExitInterrupted = 130,
  kExitTerminated = 143,
};

// Errors whose exit code the Status code alone cannot say; the code travels as a payload and
// survives being passed up.
absl::Status UsageError(std::string_view message);
// What a library refused because of a value that the user gave; OK stays OK.
absl::Status AsUsageError(const absl::Status& status);
absl::Status VerificationFailed(std::string_view message);
absl::Status WithExitCode(absl::Status status, ExitCode code);

// By payload if there is one, else by code: kInvalidArgument, kDataLoss, kNotFound -> 3;
// kResourceExhausted -> 4; kUnavailable, kUnimplemented -> 5; kCancelled -> 130; others -> 1.
int ExitCodeFor(const absl::Status& status);

// `error: <message>` as exactly one line with its newline: control characters are escaped.
std::string ErrorLine(const absl::Status& status);

// Writes ErrorLine straight to `fd`, nothing buffered. Where a Console lives, use Console::Error,
// which first takes the progress line away.
void PrintError(int fd, const absl::Status& status);

}  // namespace infer
