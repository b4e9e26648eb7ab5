// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "absl/status/status.h"
#include "ir/program/program.h"
#include "runtime/profile.h"

namespace infer {

// Fills in what the Program's machine description predicts for each node and for a call, at the
// mean symbols of each group of calls. The profile must be of this Program. Without a description,
// estimates stay 0.
absl::Status EstimateProfile(const Program& program, Profile* profile);

}  // namespace infer
