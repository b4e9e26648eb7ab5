// SPDX-License-Identifier: Apache-2.0
//
// The verifier's checks of kernel candidates and kernel choices. Only for
// ir/verify/verify_program.cc: callers use Verify().
#pragma once

#include "absl/status/status.h"
#include "ir/program/program.h"

namespace infer {

// The graphs of the regimes must already be verified.
absl::Status VerifyKernelChoices(const Program& program);

}  // namespace infer
