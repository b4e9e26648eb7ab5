// SPDX-License-Identifier: Apache-2.0
#include "tools/serve/api/read_tools.h"

#include <algorithm>
#include <string>
#include <utility>

#include "ir/base/json.h"
#include "ir/base/status_macros.h"
#include "ir/base/strings.h"
#include "tools/serve/api/api_error.h"
#include "tools/serve/api/limits.h"
#include "tools/serve/api/read_content.h"
#include "tools/serve/api/request_json.h"

namespace infer::serve {
namespace {

absl::Status CheckType(const Json& tool, const std::string& path, const ToolForm& form) {
  const Json& type = MemberOf(tool, "type");
  const bool is_custom = type.is_null() || type == "custom";
  if (type == "function" || (!form.has_type && is_custom)) return absl::OkStatus();
  return WrongValue(StrCat(path, ".type"),
                    "expected \"function\": tools that the server would run are not offered");
}

absl::StatusOr<FunctionTool> ReadTool(const Json& tool, const std::string& path,
                                      const ToolForm& form) {
  if (!tool.is_object()) {
    return WrongValue(path, StrCat("expected an object, got ", KindOfJson(tool)));
  }
  RETURN_IF_ERROR(CheckType(tool, path, form));
  const std::string where = form.function == nullptr ? path : StrCat(path, ".", form.function);
  const Json& function = form.function == nullptr ? tool : MemberOf(tool, form.function);
  if (!function.is_object()) {
    return WrongValue(where, StrCat("expected an object, got ", KindOfJson(function)));
  }
  FunctionTool made;
  ASSIGN_OR_RETURN(made.name, TextMember(function, "name", where, true));
  if (made.name.empty() || made.name.size() > kMaxToolNameBytes) {
    return WrongValue(StrCat(where, ".name"),
                      StrCat("expected 1 to ", kMaxToolNameBytes, " bytes"));
  }
  ASSIGN_OR_RETURN(const std::string description,
                   TextMember(function, "description", where, false));
  Json shown = {{"name", made.name}};
  if (!description.empty()) shown["description"] = description;
  const Json& parameters = MemberOf(function, form.parameters);
  if (!parameters.is_null()) {
    const std::string place = StrCat(where, ".", form.parameters);
    if (!parameters.is_object()) {
      return WrongValue(place, StrCat("expected a JSON schema, got ", KindOfJson(parameters)));
    }
    if (JsonText(parameters).size() > kMaxSchemaBytes) {
      return WrongValue(place, StrCat("expected at most ", kMaxSchemaBytes, " bytes"));
    }
    shown["parameters"] = parameters;
  }
  made.json = JsonText({{"type", "function"}, {"function", shown}});
  const Json& strict = MemberOf(function, "strict");
  if (!strict.is_null() && !strict.is_boolean()) {
    return WrongValue(StrCat(where, ".strict"), "expected true or false");
  }
  if (strict.is_boolean()) shown["strict"] = strict;
  made.rules = JsonText({{"type", "function"}, {"function", std::move(shown)}});
  return made;
}

}  // namespace

absl::Status ReadTools(const Json& value, std::string_view path, const ToolForm& form,
                       GenerationRequest* request) {
  if (!value.is_array()) {
    return WrongValue(path, StrCat("expected an array of tools, got ", KindOfJson(value)));
  }
  if (value.size() > kMaxTools) {
    return WrongValue(path, StrCat("expected at most ", kMaxTools, " tools, got ", value.size()));
  }
  for (size_t i = 0; i < value.size(); ++i) {
    ASSIGN_OR_RETURN(FunctionTool tool, ReadTool(value[i], StrCat(path, "[", i, "]"), form));
    request->tools.push_back(std::move(tool));
  }
  return absl::OkStatus();
}

absl::Status ReadToolChoice(const Json& value, std::string_view path, GenerationRequest* request) {
  constexpr std::pair<std::string_view, ToolChoice> kWords[] = {
      {"auto", ToolChoice::kAuto},
      {"none", ToolChoice::kNone},
      {"required", ToolChoice::kRequired},
  };
  if (value.is_string()) {
    for (const auto& [word, choice] : kWords) {
      if (value != word) continue;
      request->tool_choice = choice;
      return absl::OkStatus();
    }
  }
  if (!value.is_object() || MemberOf(value, "type") != "function") {
    return WrongValue(path, StrCat("expected \"none\", \"auto\", \"required\" or {\"type\": "
                                   "\"function\", ...}, got ",
                                   ShownJson(value)));
  }
  const bool is_nested = MemberOf(value, "function").is_object();
  ASSIGN_OR_RETURN(request->tool_name,
                   TextMember(is_nested ? value["function"] : value, "name",
                              is_nested ? StrCat(path, ".function") : std::string(path), true));
  request->tool_choice = ToolChoice::kRequired;
  return absl::OkStatus();
}

absl::Status CheckToolChoice(const GenerationRequest& request) {
  if (request.tool_choice != ToolChoice::kRequired) return absl::OkStatus();
  if (request.tools.empty()) {
    return WrongValue("tool_choice", "asks for a call, but the request has no tools");
  }
  if (!request.json_schema.empty()) {
    return WrongValue("tool_choice", StrCat("a required call and ", request.schema_path,
                                            " exclude each other; send one of them"));
  }
  if (!request.tool_name.empty() && std::ranges::find(request.tools, request.tool_name,
                                                      &FunctionTool::name) == request.tools.end()) {
    return WrongValue("tool_choice", "names a function that is not among the tools");
  }
  return absl::OkStatus();
}

}  // namespace infer::serve
