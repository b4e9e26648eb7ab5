// SPDX-License-Identifier: Apache-2.0
//
// The two forms in which models write a call of a tool.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "absl/container/flat_hash_set.h"

namespace infer {

inline constexpr std::string_view kToolCallOpen = "<tool_call>";
inline constexpr std::string_view kToolCallClose = "</tool_call>";

struct ToolCallText {
  enum class Status : uint8_t { kCall, kInvalid, kIncomplete };
  Status status = Status::kInvalid;
  std::string name;
  std::string arguments;  // JSON
  size_t end = 0;         // of the call in the text, after </tool_call>
};

// Parameters whose type in a tool's schema is other than string, as "function\nparameter".
using TypedParameters = absl::flat_hash_set<std::string>;

// Reads the parameters of tools in JSON. A tool that is not one adds nothing.
void AddTypedParameters(std::string_view tool_json, TypedParameters* typed);

// Returns whether `text`, which follows <tool_call>, can still become a call.
bool MayBecomeToolCall(std::string_view text);

// Reads a call from text that follows <tool_call>: {"name": ..., "arguments": {...}}</tool_call>
// as Qwen3 and Hermes write it, with the arguments byte for byte; or
// <function=name><parameter=key>value</parameter></function></tool_call> as Qwen3-Coder does, with
// the arguments as a JSON object. Of the latter, values are strings unless `typed` names the
// parameter and the value is JSON.
ToolCallText ReadToolCall(std::string_view text, const TypedParameters& typed);

}  // namespace infer
