// SPDX-License-Identifier: Apache-2.0
#include "frontends/chat/tool_call_text.h"

#include <optional>

#include "frontends/chat/json_text.h"
#include "ir/base/json.h"
#include "ir/base/strings.h"

namespace infer {
namespace {

using Status = ToolCallText::Status;

constexpr std::string_view kSpaces = " \t\r\n";
constexpr std::string_view kFunction = "<function=";
constexpr std::string_view kFunctionEnd = "</function>";
constexpr std::string_view kParameter = "<parameter=";
constexpr std::string_view kParameterEnd = "</parameter>";
constexpr size_t kNone = std::string_view::npos;
constexpr size_t kMaxNameBytes = 256;

size_t SkipSpaces(std::string_view text, size_t pos) {
  return std::min(text.find_first_not_of(kSpaces, pos), text.size());
}

// Returns the position after the string, list, object or word at `pos`, or kNone if the text ends
// before it does.
size_t EndOfValue(std::string_view text, size_t pos) {
  size_t depth = 0;
  bool in_string = false;
  for (size_t i = pos; i < text.size(); ++i) {
    const char c = text[i];
    if (in_string) {
      if (c == '\\') ++i;
      if (c == '"') in_string = false;
      if (c == '"' && depth == 0) return i + 1;
    } else if (c == '"') {
      in_string = true;
    } else if (c == '{' || c == '[') {
      ++depth;
    } else if (c == '}' || c == ']') {
      if (depth == 0) return i;  // ends a word
      if (--depth == 0) return i + 1;
    } else if (depth == 0 && (c == ',' || kSpaces.find(c) != kNone)) {
      return i;
    }
  }
  return kNone;
}

// Reads the members of `object`, which is valid JSON. Returns false if it is no call.
bool ReadMembers(std::string_view object, ToolCallText* call) {
  call->arguments = "{}";
  size_t pos = SkipSpaces(object, 1);
  while (pos < object.size() && object[pos] == '"') {
    const size_t key_end = EndOfValue(object, pos);
    const std::string key = ParseJsonOrThrow(object.substr(pos, key_end - pos)).get<std::string>();
    pos = SkipSpaces(object, SkipSpaces(object, key_end) + 1);  // after the colon
    const size_t end = EndOfValue(object, pos);
    std::string_view value = object.substr(pos, end - pos);
    if (key == "name") {
      if (!value.starts_with('"')) return false;
      call->name = ParseJsonOrThrow(value).get<std::string>();
    } else if (key == "arguments") {
      if (!value.starts_with('{')) return false;
      call->arguments = value;
    }
    pos = SkipSpaces(object, end);
    if (pos < object.size() && object[pos] == ',') pos = SkipSpaces(object, pos + 1);
  }
  return !call->name.empty() && call->name.size() <= kMaxNameBytes;
}

// Returns the status of `text` at `pos`, where `tag` is expected.
Status Follows(std::string_view text, size_t pos, std::string_view tag) {
  std::string_view rest = text.substr(pos);
  if (rest.starts_with(tag)) return Status::kCall;
  return tag.starts_with(rest) ? Status::kIncomplete : Status::kInvalid;
}

ToolCallText WithStatus(Status status) {
  ToolCallText call;
  call.status = status;
  return call;
}

ToolCallText ReadJsonCall(std::string_view text, size_t pos) {
  const size_t end = EndOfValue(text, pos);
  if (end == kNone) return WithStatus(Status::kIncomplete);
  const size_t close = SkipSpaces(text, end);
  ToolCallText call = WithStatus(Follows(text, close, kToolCallClose));
  if (call.status == Status::kInvalid) return call;
  std::string_view object = text.substr(pos, end - pos);
  if (!Json::accept(object) || !ReadMembers(object, &call)) return WithStatus(Status::kInvalid);
  call.end = close + kToolCallClose.size();
  return call;
}

std::string_view WithoutOuterLineEnds(std::string_view value) {
  if (value.starts_with('\n')) value.remove_prefix(1);
  if (value.ends_with('\n')) value.remove_suffix(1);
  return value;
}

// Reads what stands between `pos` and the next '>', for the name of a function or parameter.
std::optional<std::string> ReadName(std::string_view text, size_t* pos) {
  const size_t end = text.find('>', *pos);
  if (end == kNone || end == *pos || end - *pos > kMaxNameBytes) return std::nullopt;
  std::string name(text.substr(*pos, end - *pos));
  if (name.find_first_of("<\n") != std::string::npos) return std::nullopt;
  *pos = end + 1;
  return name;
}

ToolCallText ReadXmlCall(std::string_view text, size_t pos, const TypedParameters& typed) {
  ToolCallText call;
  pos += kFunction.size();
  std::optional<std::string> name = ReadName(text, &pos);
  if (!name) return call;
  call.name = *std::move(name);
  call.arguments = "{";
  for (pos = SkipSpaces(text, pos); text.substr(pos).starts_with(kParameter);
       pos = SkipSpaces(text, pos)) {
    pos += kParameter.size();
    const std::optional<std::string> key = ReadName(text, &pos);
    if (!key) return WithStatus(Status::kInvalid);
    const size_t end = text.find(kParameterEnd, pos);
    if (end == kNone) return WithStatus(Status::kIncomplete);
    std::string_view value = WithoutOuterLineEnds(text.substr(pos, end - pos));
    const bool is_json = typed.contains(StrCat(call.name, "\n", *key)) && Json::accept(value);
    StrAppend(&call.arguments, call.arguments.size() > 1 ? ", " : "", chat::JsonQuoted(*key), ": ",
              is_json ? std::string(value) : chat::JsonQuoted(value));
    pos = end + kParameterEnd.size();
  }
  call.arguments += "}";
  call.status = Follows(text, pos, kFunctionEnd);
  if (call.status != Status::kCall) return WithStatus(call.status);
  pos = SkipSpaces(text, pos + kFunctionEnd.size());
  call.status = Follows(text, pos, kToolCallClose);
  call.end = pos + kToolCallClose.size();
  return call;
}

}  // namespace

void AddTypedParameters(std::string_view tool_json, TypedParameters* typed) {
  const Json tool = ParseJson(tool_json);
  const Json* function = &tool;
  if (tool.is_object() && tool.contains("function")) function = &tool["function"];
  if (!function->is_object() || !function->contains("name") || !(*function)["name"].is_string()) {
    return;
  }
  const Json none = Json::object();
  const Json parameters = function->value("parameters", none);
  if (!parameters.is_object()) return;
  const Json properties = parameters.value("properties", none);
  if (!properties.is_object()) return;
  for (const auto& [key, schema] : properties.items()) {
    if (schema.is_object() && schema.contains("type") && schema["type"] != "string") {
      typed->insert(StrCat((*function)["name"].get<std::string>(), "\n", key));
    }
  }
}

bool MayBecomeToolCall(std::string_view text) {
  const size_t pos = SkipSpaces(text, 0);
  if (pos == text.size() || text[pos] == '{') return true;
  return Follows(text, pos, kFunction) != Status::kInvalid;
}

ToolCallText ReadToolCall(std::string_view text, const TypedParameters& typed) {
  const size_t pos = SkipSpaces(text, 0);
  if (pos == text.size()) return WithStatus(Status::kIncomplete);
  if (text[pos] == '{') return ReadJsonCall(text, pos);
  const Status function = Follows(text, pos, kFunction);
  if (function != Status::kCall) return WithStatus(function);
  return ReadXmlCall(text, pos, typed);
}

}  // namespace infer
