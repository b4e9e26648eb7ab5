// SPDX-License-Identifier: Apache-2.0
//
// What would help against an error, as a value that each program words in its own terms: a command
// line names the flag, an application its option. The message itself says it in plain words.
#pragma once

#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"

namespace infer {

enum class Advice {
  kContext,         // another number of positions
  kChunk,           // another number of tokens per call
  kThreads,         // another number of threads
  kKvType,          // another element type of the cache
  kModel,           // the model that a Program was compiled from
  kCompile,         // compiling again on this machine
  kCompileContext,  // compiling again for another context
  kFallback,        // letting rules fall back to their other targets
  kReference,       // the policy of the oracle
  kPlace,           // the text of an override
  kTensorOverride,  // the text of an override by weight names
  kProfileInput,    // giving the file as a profile
  kProgramInput,    // giving the file as a compiled Program
  kProfile,         // profiling the program
  kCalibrate,       // measuring this machine
  kListPasses,      // the list of passes
  kCheckFile,       // checking the model file
};

// `status` with advice added to what it already carries.
absl::Status WithAdvice(absl::Status status, std::initializer_list<Advice> advice);

// In the order in which it was added; empty for a status without any.
std::vector<Advice> AdviceOf(const absl::Status& status);

// `status` with another message: code and everything that it carries stay.
absl::Status WithMessage(const absl::Status& status, std::string_view message);

}  // namespace infer
