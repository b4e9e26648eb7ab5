// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "tools/cli/tool.h"

namespace infer {

// Returns whether the command line has --calibrate, which comes with its own set of flags.
bool WantsCalibration(const std::vector<std::string>& args);

// Implements `infer-bench --calibrate`.
absl::Status CalibrateMain(ToolContext& context);

}  // namespace infer
