// SPDX-License-Identifier: Apache-2.0
//
// Only for ir/verify/verify_program.cc.
#pragma once

#include "absl/status/status.h"
#include "ir/program/program.h"

namespace infer {

// No text of a Program has control characters, but for the machine's file, of which only fields are
// shown.
absl::Status VerifyNames(const Program& program);

}  // namespace infer
