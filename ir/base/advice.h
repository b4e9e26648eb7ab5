// SPDX-License-Identifier: Apache-2.0
//
// A remedy for an error, as a value that each program words in its own terms: a command line names
// the flag, an application its option. The error message itself describes it in plain words.
#pragma once

#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"

namespace infer {

enum class Advice {
  kContext,         // use another number of positions
  kChunk,           // use another number of tokens per call
  kThreads,         // use another number of threads
  kKvType,          // use another element type for the cache
  kModel,           // give the model that a Program was compiled from
  kCompile,         // compile again on this machine
  kCompileContext,  // compile again for another context
  kFallback,        // let rules fall back to their other targets
  kReference,       // use the reference policy
  kPlace,           // correct the text of an override
  kTensorOverride,  // correct the text of an override by weight names
  kProfileInput,    // give the file as a profile
  kProgramInput,    // give the file as a compiled Program
  kProfile,         // profile the program
  kCalibrate,       // measure this machine
  kListPasses,      // list the passes
  kCheckFile,       // check the model file
};

// Returns `status` with `advice` added to what it already carries.
absl::Status WithAdvice(absl::Status status, std::initializer_list<Advice> advice);

// Returns the advice in the order in which it was added; empty if there is none.
std::vector<Advice> AdviceOf(const absl::Status& status);

// Returns `status` with another message; its code and payloads stay.
absl::Status WithMessage(const absl::Status& status, std::string_view message);

}  // namespace infer
