// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "tools/cli/tool.h"

namespace infer {

// Whether the command line says --calibrate: it has flags of its own then.
bool WantsCalibration(const std::vector<std::string>& args);

// `infer-bench --calibrate`.
absl::Status CalibrateMain(ToolContext& context);

}  // namespace infer
