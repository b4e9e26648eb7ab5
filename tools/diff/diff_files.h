// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "tools/cli/tool.h"

namespace infer {

// Reads two stored Programs and writes their differences to the file `output`, as "text" or "json".
// Then returns VerificationFailed (exit code 6) if one of `fail_on` differs.
absl::Status DiffFiles(const std::vector<std::string>& programs, std::string_view format,
                       const std::vector<std::string>& fail_on, const std::string& output,
                       ToolContext& context);

}  // namespace infer
