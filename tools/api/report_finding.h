// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "absl/status/status.h"
#include "passes/check_policy.h"
#include "tools/api/compile_model.h"

namespace infer {

// Passes a finding to the receiver that `options` names, or returns it as an error if `options` are
// strict. `policy` is the policy's own name, options.policy what the user called it.
absl::Status ReportFinding(const PolicyFinding& finding, const CompileModelOptions& options,
                           std::string_view policy);

}  // namespace infer
