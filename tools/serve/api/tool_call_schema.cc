// SPDX-License-Identifier: Apache-2.0
#include "tools/serve/api/tool_call_schema.h"

#include <nlohmann/json.hpp>
#include <string_view>
#include <utility>

#include "ir/base/strings.h"
#include "tools/serve/api/request_json.h"

namespace infer::serve {
namespace {

using Json = nlohmann::ordered_json;

// References in a tool's schema begin at its own root, which moves below `place`.
void MoveReferences(std::string_view place, Json* schema) {
  if (schema->is_object()) {
    for (auto& [key, value] : schema->items()) {
      const bool is_reference = key == "$ref" && value.is_string();
      if (is_reference && value.get_ref<const std::string&>().starts_with("#")) {
        value = StrCat("#", place, value.get_ref<const std::string&>().substr(1));
      } else {
        MoveReferences(place, &value);
      }
    }
  } else if (schema->is_array()) {
    for (Json& value : *schema) MoveReferences(place, &value);
  }
}

Json CallOf(const FunctionTool& tool, Json arguments) {
  return {{"type", "object"},
          {"properties", {{"name", {{"const", tool.name}}}, {"arguments", std::move(arguments)}}},
          {"required", {"name", "arguments"}},
          {"additionalProperties", false}};
}

}  // namespace

absl::StatusOr<std::string> ToolCallSchema(const GenerationRequest& request) {
  Json calls = Json::array();
  Json definitions = Json::object();
  for (size_t i = 0; i < request.tools.size(); ++i) {
    const FunctionTool& tool = request.tools[i];
    if (request.tool_choice == ToolChoice::kNamed && tool.name != request.tool_name) continue;
    if (tool.parameters.empty()) {
      calls.push_back(CallOf(tool, {{"type", "object"}}));
      continue;
    }
    Json parameters = Json::parse(tool.parameters);
    if (parameters.empty()) parameters["type"] = "object";
    const std::string name = StrCat("tool", i);
    MoveReferences(StrCat("/$defs/", name), &parameters);
    definitions[name] = std::move(parameters);
    calls.push_back(CallOf(tool, {{"$ref", StrCat("#/$defs/", name)}}));
  }
  Json schema;
  if (calls.size() == 1) {
    schema = std::move(calls[0]);
  } else {
    schema["anyOf"] = std::move(calls);
  }
  schema["$defs"] = std::move(definitions);
  return JsonText(schema);
}

}  // namespace infer::serve
