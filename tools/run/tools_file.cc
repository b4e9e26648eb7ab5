// SPDX-License-Identifier: Apache-2.0
#include "tools/run/tools_file.h"

#include <string_view>

#include "ir/base/json.h"
#include "ir/base/status_macros.h"
#include "ir/base/strings.h"
#include "tools/run/json_file.h"

namespace infer {
namespace {

constexpr uint64_t kMaxToolsBytes = uint64_t{4} << 20;
constexpr size_t kMaxTools = 512;

const Json& FunctionOf(const Json& tool) {
  return tool.is_object() && tool.contains("function") ? tool["function"] : tool;
}

absl::Status CheckTool(const Json& tool) {
  const Json& function = FunctionOf(tool);
  if (!function.is_object()) return absl::InvalidArgumentError("is not an object");
  const auto name = function.find("name");
  if (name == function.end() || !name->is_string() || name->get<std::string>().empty()) {
    return absl::InvalidArgumentError("has no \"name\"");
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<std::vector<std::string>> ReadToolsFile(const std::string& path) {
  ASSIGN_OR_RETURN(const Json json, ReadJsonFile(path, kMaxToolsBytes));
  auto refuse = [&](std::string_view why) {
    return absl::InvalidArgumentError(
        StrCat(path, ": ", why, R"(; expected [{"type": "function", "function": {"name": ...}}])"));
  };
  const Json& tools = json.is_object() && json.contains("tools") ? json["tools"] : json;
  if (!tools.is_array()) return refuse("is not an array of tools");
  if (tools.empty()) return refuse("has no tools");
  if (tools.size() > kMaxTools) return refuse(StrCat("has more than ", kMaxTools, " tools"));
  std::vector<std::string> texts;
  for (size_t i = 0; i < tools.size(); ++i) {
    const absl::Status valid = CheckTool(tools[i]);
    if (!valid.ok()) return refuse(StrCat("tool ", i, " ", ToStd(valid.message())));
    texts.push_back(JsonText(tools[i]));
  }
  return texts;
}

std::string ToolsText(const std::vector<std::string>& tools) {
  std::string text;
  for (const std::string& tool : tools) {
    const Json json = ParseJsonOrThrow(tool);
    const Json& function = FunctionOf(json);
    const std::string about = function.value("description", "");
    StrAppend(&text, text.empty() ? "" : "\n", function.value("name", ""),
              about.empty() ? "" : ": ", about);
  }
  return text;
}

}  // namespace infer
