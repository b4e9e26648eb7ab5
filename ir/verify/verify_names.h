// SPDX-License-Identifier: Apache-2.0
//
// Only for ir/verify/verify_program.cc.
#pragma once

#include "absl/status/status.h"
#include "ir/program/program.h"

namespace infer {

// Checks that no text of a Program has control characters. The machine's file is exempt because
// only its fields are shown.
absl::Status VerifyNames(const Program& program);

}  // namespace infer
