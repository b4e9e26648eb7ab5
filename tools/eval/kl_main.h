// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "absl/status/status.h"
#include "tools/cli/tool.h"
#include "tools/eval/eval_options.h"

namespace infer {

// Measures how far the model's probabilities are from those of the scalar loops or of a file, and
// prints it.
absl::Status KlMain(const EvalOptions& options, ToolContext& context);

}  // namespace infer
