// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "absl/status/status.h"
#include "ir/base/json.h"
#include "tools/serve/api/generation_request.h"

namespace infer::serve {

// Where the parts of a function stand in the tools of an API.
struct ToolForm {
  const char* function;    // member that holds name, description and schema; null: the tool itself
  const char* parameters;  // name of the schema
  bool has_type;           // "type": "function" is required
};
inline constexpr ToolForm kChatTools = {"function", "parameters", true};
inline constexpr ToolForm kResponsesTools = {nullptr, "parameters", true};
inline constexpr ToolForm kMessagesTools = {nullptr, "input_schema", false};

absl::Status ReadTools(const Json& value, std::string_view path, const ToolForm& form,
                       GenerationRequest* request);

// Reads tool_choice of chat completions and responses: "auto", "none", "required" or an object that
// names a function.
absl::Status ReadToolChoice(const Json& value, std::string_view path, GenerationRequest* request);

// Returns an error if tool_choice asks for what the tools do not have.
absl::Status CheckToolChoice(const GenerationRequest& request);

}  // namespace infer::serve
