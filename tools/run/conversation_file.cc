// SPDX-License-Identifier: Apache-2.0
#include "tools/run/conversation_file.h"

#include <algorithm>
#include <iterator>
#include <memory>
#include <string_view>
#include <utility>

#include "ir/base/json.h"
#include "ir/base/status_macros.h"
#include "ir/base/strings.h"
#include "tools/cli/atomic_file.h"
#include "tools/run/json_file.h"

namespace infer {
namespace {

constexpr uint64_t kMaxConversationBytes = uint64_t{64} << 20;
constexpr std::string_view kRoles[] = {"system", "user", "assistant", "tool"};

Json CallJson(const ChatToolCall& call) {
  return {{"type", "function"}, {"function", {{"name", call.name}, {"arguments", call.arguments}}}};
}

Json MessageJson(const ChatMessage& message) {
  Json json = {{"role", message.role}, {"content", message.content}};
  if (message.reasoning_content) json["reasoning_content"] = *message.reasoning_content;
  for (const ChatToolCall& call : message.tool_calls) json["tool_calls"].push_back(CallJson(call));
  return json;
}

// Returns the text of `key`, nullopt if it is missing or null.
absl::StatusOr<std::optional<std::string>> TextOf(const Json& json, const char* key) {
  const auto found = json.find(key);
  if (found == json.end() || found->is_null()) return std::nullopt;
  if (!found->is_string()) {
    return absl::InvalidArgumentError(
        StrCat("\"", key, "\" is ", found->type_name(), ", expected a string"));
  }
  return found->get<std::string>();
}

absl::StatusOr<ChatToolCall> ReadCall(const Json& json) {
  const Json& function = json.is_object() && json.contains("function") ? json["function"] : json;
  if (!function.is_object()) return absl::InvalidArgumentError("a tool call is not an object");
  ChatToolCall call;
  ASSIGN_OR_RETURN(std::optional<std::string> name, TextOf(function, "name"));
  if (!name) return absl::InvalidArgumentError("a tool call has no \"name\"");
  call.name = *std::move(name);
  call.arguments = "{}";
  const auto arguments = function.find("arguments");
  if (arguments == function.end() || arguments->is_null()) return call;
  call.arguments_are_text = arguments->is_string();
  call.arguments = arguments->is_string() ? arguments->get<std::string>() : arguments->dump();
  return call;
}

absl::StatusOr<ChatMessage> ReadMessage(const Json& json) {
  if (!json.is_object()) return absl::InvalidArgumentError("is not an object");
  ChatMessage message;
  ASSIGN_OR_RETURN(std::optional<std::string> role, TextOf(json, "role"));
  if (!role || std::ranges::find(kRoles, *role) == std::end(kRoles)) {
    return absl::InvalidArgumentError(
        StrCat("\"role\" is ", role ? StrCat("\"", *role, "\"") : std::string("missing"),
               ", expected system, user, assistant or tool"));
  }
  message.role = *std::move(role);
  ASSIGN_OR_RETURN(std::optional<std::string> content, TextOf(json, "content"));
  message.content = std::move(content).value_or("");
  ASSIGN_OR_RETURN(message.reasoning_content, TextOf(json, "reasoning_content"));
  const auto calls = json.find("tool_calls");
  if (calls == json.end() || calls->is_null()) return message;
  if (!calls->is_array()) return absl::InvalidArgumentError("\"tool_calls\" is not an array");
  for (const Json& call : *calls) {
    ASSIGN_OR_RETURN(ChatToolCall read, ReadCall(call));
    message.tool_calls.push_back(std::move(read));
  }
  return message;
}

}  // namespace

absl::Status SaveConversation(const std::vector<ChatMessage>& messages, const std::string& path) {
  if (path == "-") return absl::InvalidArgumentError("stdout carries the answers; name a file");
  Json json = {{"schema_version", 1}, {"messages", Json::array()}};
  for (const ChatMessage& message : messages) json["messages"].push_back(MessageJson(message));
  ASSIGN_OR_RETURN(std::unique_ptr<AtomicFile> file, AtomicFile::Create(path, nullptr));
  RETURN_IF_ERROR(file->Write(JsonText(json, 1) + "\n"));
  return file->Commit();
}

absl::StatusOr<std::vector<ChatMessage>> LoadConversation(const std::string& path,
                                                          const std::atomic<bool>* stop) {
  if (path == "-") return absl::InvalidArgumentError("stdin carries the messages; name a file");
  ASSIGN_OR_RETURN(const Json json, ReadJsonFile(path, kMaxConversationBytes, stop));
  const Json* list = &json;  // an array of messages alone is accepted too
  if (json.is_object() && json.contains("messages")) list = &json["messages"];
  if (!list->is_array()) {
    return absl::InvalidArgumentError(
        StrCat(path,
               ": has no array \"messages\"; expected {\"messages\": [{\"role\": ..., "
               "\"content\": ...}]}"));
  }
  std::vector<ChatMessage> messages;
  for (const Json& item : *list) {
    absl::StatusOr<ChatMessage> message = ReadMessage(item);
    if (!message.ok()) {
      return absl::InvalidArgumentError(
          StrCat(path, ": message ", messages.size() + 1, ": ", ToStd(message.status().message())));
    }
    if (message->role == "system" && !messages.empty()) {
      return absl::InvalidArgumentError(
          StrCat(path, ": message ", messages.size() + 1, ": a system message must be the first"));
    }
    messages.push_back(*std::move(message));
  }
  return messages;
}

}  // namespace infer
