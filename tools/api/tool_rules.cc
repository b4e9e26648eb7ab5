// SPDX-License-Identifier: Apache-2.0
#include "tools/api/tool_rules.h"

#include <optional>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_join.h"
#include "frontends/grammar/compile_budget.h"
#include "frontends/grammar/json_schema.h"
#include "ir/base/json.h"
#include "ir/base/status_macros.h"
#include "ir/base/strings.h"

namespace infer {
namespace {

struct Tool {
  std::string name;
  Json parameters;             // null: none are given
  std::optional<bool> strict;  // as OpenAI's interface has it
};

absl::StatusOr<Tool> ReadTool(const std::string& text, size_t index) {
  const auto refuse = [index](std::string_view why) {
    return absl::InvalidArgumentError(StrCat("tools[", index, "] ", why));
  };
  const Json json = ParseJson(text);
  if (!json.is_object()) return refuse("is not a JSON object");
  const Json& function = json.contains("function") ? json["function"] : json;
  if (!function.is_object()) return refuse("has a \"function\" that is not an object");
  const auto name = function.find("name");
  if (name == function.end() || !name->is_string() || name->get_ref<const std::string&>().empty()) {
    return refuse("has no \"name\"");
  }
  Tool tool = {name->get<std::string>(), Json(), std::nullopt};
  if (const auto it = function.find("parameters"); it != function.end()) tool.parameters = *it;
  if (const auto it = function.find("strict"); it != function.end() && it->is_boolean()) {
    tool.strict = it->get<bool>();
  }
  return tool;
}

// Returns the schema of the arguments, which are an object whether it says so or not; empty for any
// object.
absl::StatusOr<std::string> ArgumentsSchema(const Json& parameters, CompileBudget* budget) {
  if (parameters.is_null() || parameters == true || parameters == Json::object()) return "";
  Json schema = parameters;
  if (schema.is_object() && !schema.contains("type")) schema["type"] = "object";
  if (!schema.is_object() || schema["type"] != "object") {
    return absl::InvalidArgumentError("#/type: the arguments of a call are an object");
  }
  std::string text = JsonText(schema);
  RETURN_IF_ERROR(CompileJsonSchema(text, {}, budget).status());
  return text;
}

}  // namespace

absl::StatusOr<ToolRules> CompileToolRules(const ToolRulesRequest& request) {
  ToolRules rules;
  std::vector<ToolSchema> schemas;
  std::vector<std::string> names;
  CompileBudget budget;  // of all tools: those after one that takes all of it are not bound
  for (size_t i = 0; i < request.tools.size(); ++i) {
    ASSIGN_OR_RETURN(const Tool tool, ReadTool(request.tools[i], i));
    names.push_back(tool.name);
    if (!request.only.empty() && tool.name != request.only) continue;
    ToolSchema& schema = schemas.emplace_back(tool.name);
    if (request.form == ToolCallForm::kXml || !request.bind_arguments || tool.strict == false) {
      continue;
    }
    absl::StatusOr<std::string> arguments = ArgumentsSchema(tool.parameters, &budget);
    if (arguments.ok()) {
      schema.parameters = *std::move(arguments);
      continue;
    }
    const std::string why = StrCat("tools[", i, "] (", tool.name,
                                   "), parameters: ", ToStd(arguments.status().message()));
    if (tool.strict == true) return absl::InvalidArgumentError(why);
    rules.warnings.push_back(StrCat(why, "; its arguments may be any JSON object"));
  }
  if (schemas.empty()) {
    return absl::InvalidArgumentError(
        request.only.empty() ? "an answer must call a tool, and there are none"
                             : StrCat("there is no tool \"", request.only,
                                      "\" to call; the tools are ", absl::StrJoin(names, ", ")));
  }
  ASSIGN_OR_RETURN(rules.grammar, CompileToolCall(schemas, request.form));
  return rules;
}

}  // namespace infer
