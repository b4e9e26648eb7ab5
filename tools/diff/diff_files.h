// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "tools/cli/tool.h"

namespace infer {

// Reads two stored Programs and writes what differs to the file `output`, as "text" or "json".
// VerificationFailed (exit code 6) after that if one of `fail_on` does.
absl::Status DiffFiles(const std::vector<std::string>& programs, std::string_view format,
                       const std::vector<std::string>& fail_on, const std::string& output,
                       ToolContext& context);

}  // namespace infer
