// SPDX-License-Identifier: Apache-2.0
#include "tools/serve/api/read_messages.h"

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

constexpr std::string_view kTextTypes[] = {"text", "refusal"};

// What a role of a request is for templates.
struct Role {
  std::string_view name;
  std::string_view meaning;
};
constexpr Role kRoles[] = {
    {"system", "system"},       {"developer", "system"}, {"user", "user"},
    {"assistant", "assistant"}, {"tool", "tool"},        {"function", "tool"},
};

absl::StatusOr<std::string> ReadRole(const Json& message, std::string_view path) {
  ASSIGN_OR_RETURN(const std::string name, TextMember(message, "role", path, true));
  for (const Role& role : kRoles) {
    if (role.name == name) return std::string(role.meaning);
  }
  return WrongValue(StrCat(path, ".role"),
                    StrCat("expected system, developer, user, assistant or tool, got ",
                           ShownJson(message["role"])));
}

absl::StatusOr<ChatToolCall> ReadCall(const Json& call, std::string_view path) {
  if (!call.is_object()) {
    return WrongValue(path, StrCat("expected an object, got ", KindOfJson(call)));
  }
  const std::string where = StrCat(path, ".function");
  const Json& function = MemberOf(call, "function");
  if (!function.is_object()) {
    return WrongValue(where, StrCat("expected an object, got ", KindOfJson(function)));
  }
  ChatToolCall made;
  ASSIGN_OR_RETURN(made.name, TextMember(function, "name", where, true));
  ASSIGN_OR_RETURN(std::string text, TextMember(function, "arguments", where, false));
  CallArguments arguments = ReadArguments(std::move(text));
  made.arguments = std::move(arguments.text);
  made.arguments_are_text = !arguments.is_json;
  return made;
}

absl::Status ReadCalls(const Json& calls, std::string_view path, ChatMessage* message) {
  if (calls.is_null()) return absl::OkStatus();
  if (!calls.is_array() || calls.size() > kMaxContentParts) {
    return WrongValue(path, StrCat("expected an array of tool calls, got ", KindOfJson(calls)));
  }
  for (size_t i = 0; i < calls.size(); ++i) {
    ASSIGN_OR_RETURN(ChatToolCall call, ReadCall(calls[i], StrCat(path, "[", i, "]")));
    message->tool_calls.push_back(std::move(call));
  }
  return absl::OkStatus();
}

absl::StatusOr<ChatMessage> ReadMessage(const Json& json, const std::string& path) {
  if (!json.is_object()) {
    return WrongValue(path, StrCat("expected an object, got ", KindOfJson(json)));
  }
  ChatMessage message;
  ASSIGN_OR_RETURN(message.role, ReadRole(json, path));
  ASSIGN_OR_RETURN(message.content,
                   ReadContent(MemberOf(json, "content"), StrCat(path, ".content"), kTextTypes));
  if (message.role != "assistant") {
    if (MemberOf(json, "content").is_null()) {
      return WrongValue(StrCat(path, ".content"), "expected a string, got nothing");
    }
    return message;
  }
  for (const char* name : {"reasoning_content", "reasoning"}) {
    if (const Json& thought = MemberOf(json, name); thought.is_string()) {
      message.reasoning_content = thought.get<std::string>();
      break;
    }
  }
  RETURN_IF_ERROR(ReadCalls(MemberOf(json, "tool_calls"), StrCat(path, ".tool_calls"), &message));
  return message;
}

}  // namespace

absl::Status ReadMessages(const Json& value, std::string_view path, GenerationRequest* request) {
  if (!value.is_array() || value.empty()) {
    return WrongValue(path, StrCat("expected an array of at least one message, got ",
                                   value.is_array() ? "none" : KindOfJson(value)));
  }
  if (value.size() > kMaxMessages) {
    return WrongValue(path,
                      StrCat("expected at most ", kMaxMessages, " messages, got ", value.size()));
  }
  for (size_t i = 0; i < value.size(); ++i) {
    ASSIGN_OR_RETURN(ChatMessage message, ReadMessage(value[i], StrCat(path, "[", i, "]")));
    request->messages.push_back(std::move(message));
  }
  return absl::OkStatus();
}

}  // namespace infer::serve
