// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "frontends/grammar/grammar.h"
#include "frontends/grammar/tool_call_grammar.h"

namespace infer {

struct ToolRulesRequest {
  std::span<const std::string> tools;  // JSON text of each
  std::string only = {};               // the tool that must be called; empty: any of them
  bool bind_arguments = true;          // false: arguments are any JSON object
  ToolCallForm form = ToolCallForm::kJson;
};

struct ToolRules {
  std::shared_ptr<const Grammar> grammar;
  std::vector<std::string> warnings;  // tools whose arguments cannot be bound, with the reason
};

// Compiles what the calls of tools must keep to. A tool whose parameters have a schema that is not
// supported takes any JSON object, unless it says "strict": true, which makes that an error. With
// "strict": false it takes any object too.
absl::StatusOr<ToolRules> CompileToolRules(const ToolRulesRequest& request);

}  // namespace infer
