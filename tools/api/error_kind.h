// SPDX-License-Identifier: Apache-2.0
//
// Classifies a Status for callers that must act on it: an application through Error::code, a
// command line through its exit code. Both use the same numbers.
#pragma once

#include <string_view>

#include "absl/status/status.h"

namespace infer {

enum class ErrorKind : int {
  kRuntime = 1,       // failed while running: a write, the system, a bug in infer
  kUsage = 2,         // an option or argument of the caller is wrong
  kBadInput = 3,      // a model, graph, policy or text given as input is missing or invalid
  kNoMemory = 4,      // does not fit in memory
  kUnavailable = 5,   // device missing, or op not supported
  kVerification = 6,  // a comparison or check ran and found a difference
  kCancelled = 130,
};

// Make errors whose kind the Status code alone does not tell. The kind travels as a payload and
// survives being passed up.
absl::Status UsageError(std::string_view message);
// Turns an error that a library returned because of the caller's value into a usage error; OK stays
// OK.
absl::Status AsUsageError(const absl::Status& status);
absl::Status VerificationFailed(std::string_view message);
absl::Status WithErrorKind(absl::Status status, ErrorKind kind);

// Returns the kind of an error, from its payload if there is one, else from its code:
// kInvalidArgument, kDataLoss and kNotFound are kBadInput; kResourceExhausted is kNoMemory;
// kUnavailable and kUnimplemented are kUnavailable; kCancelled is kCancelled; others are kRuntime.
ErrorKind KindOf(const absl::Status& status);

}  // namespace infer
