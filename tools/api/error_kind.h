// SPDX-License-Identifier: Apache-2.0
//
// What kind of failure a Status is, for those who must act on it: an application by Error::code, a
// command line by its exit code. The numbers are the same in both.
#pragma once

#include <string_view>

#include "absl/status/status.h"

namespace infer {

enum class ErrorKind : int {
  kRuntime = 1,       // failed while running: a write, the system, a bug of ours
  kUsage = 2,         // an option or argument of the caller is wrong
  kBadInput = 3,      // a model, graph, policy or text given as input is missing or invalid
  kNoMemory = 4,      // does not fit
  kUnavailable = 5,   // device not there, or op not supported
  kVerification = 6,  // a comparison or check ran and found a difference
  kCancelled = 130,
};

// Errors whose kind the Status code alone cannot say; it travels as a payload and survives being
// passed up.
absl::Status UsageError(std::string_view message);
// What a library refused because of a value that the caller gave; OK stays OK.
absl::Status AsUsageError(const absl::Status& status);
absl::Status VerificationFailed(std::string_view message);
absl::Status WithErrorKind(absl::Status status, ErrorKind kind);

// Of an error, by payload if there is one, else by code: kInvalidArgument, kDataLoss, kNotFound are
// kBadInput; kResourceExhausted kNoMemory; kUnavailable, kUnimplemented kUnavailable; kCancelled
// kCancelled; others kRuntime.
ErrorKind KindOf(const absl::Status& status);

}  // namespace infer
