// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "absl/status/statusor.h"
#include "tools/serve/api/generation_request.h"

namespace infer::serve {

// Returns the schema of a call of one of the tools that tool_choice allows, {"name": ...,
// "arguments": {...}}: the text between <tool_call> and </tool_call>.
absl::StatusOr<std::string> ToolCallSchema(const GenerationRequest& request);

}  // namespace infer::serve
