// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "absl/status/statusor.h"
#include "frontends/grammar/compile_budget.h"
#include "frontends/grammar/grammar.h"

namespace infer {

// How a model writes a call between <tool_call> and </tool_call>.
enum class ToolCallForm : uint8_t {
  kJson,  // {"name": "f", "arguments": {...}}, as Qwen3 and Hermes do
  kXml,   // <function=f><parameter=key>value</parameter></function>, as Qwen3-Coder does
};

struct ToolSchema {
  std::string name;
  std::string parameters = {};  // JSON schema of an object; empty: any object
};

// Compiles the texts that may stand between the tags: a call of one of the tools, written as chat
// templates show it, with arguments that its schema allows. In the XML form only the name is bound.
// Errors of a schema name the tool. There must be a tool. All schemas share the budget.
absl::StatusOr<std::shared_ptr<const Grammar>> CompileToolCall(std::span<const ToolSchema> tools,
                                                               ToolCallForm form,
                                                               CompileBudget* budget = nullptr);

}  // namespace infer
