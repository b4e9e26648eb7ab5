// SPDX-License-Identifier: Apache-2.0
//
// The many ways in which clients switch thinking on and off, and bound it.
#pragma once

#include "ir/base/json.h"
#include "tools/serve/api/parameter.h"

namespace infer::serve {

ParameterTable ThinkingParameters();

// Reads "none", "minimal", "low", "medium", "high" or "xhigh": off, at most 128 tokens, at most
// 1024, and without bound.
absl::Status ReadEffort(const Json& value, std::string_view path, GenerationRequest* request);

// Reads Anthropic's {"type": "enabled", "budget_tokens": 1024}.
absl::Status ReadThinking(const Json& value, std::string_view path, GenerationRequest* request);

}  // namespace infer::serve
