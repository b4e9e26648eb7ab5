// SPDX-License-Identifier: Apache-2.0
#include <utility>

#include "ir/base/json.h"
#include "ir/base/status_macros.h"
#include "ir/base/strings.h"
#include "tools/serve/api/api_error.h"
#include "tools/serve/api/limits.h"
#include "tools/serve/api/read_content.h"
#include "tools/serve/api/read_request.h"
#include "tools/serve/api/read_tools.h"
#include "tools/serve/api/request_json.h"
#include "tools/serve/api/sampling_parameters.h"
#include "tools/serve/api/thinking_parameters.h"

namespace infer::serve {
namespace {

using Request = GenerationRequest;

constexpr std::string_view kPlainTextTypes[] = {"text"};

// Adds what a block of content says to the messages. A result of a tool is a message of its own.
class BlockReader {
 public:
  BlockReader(std::string role, Request* request) : role_(std::move(role)), request_(request) {}

  absl::Status Read(const Json& block, const std::string& path) {
    if (!block.is_object()) {
      return WrongValue(path, StrCat("expected an object, got ", KindOfJson(block)));
    }
    ASSIGN_OR_RETURN(const std::string type, TextMember(block, "type", path, true));
    if (type == "tool_result" && role_ == "user") return ReadResult(block, path);
    if (type == "text") {
      ASSIGN_OR_RETURN(std::string text, TextMember(block, "text", path, true));
      Message().content += text;
      return absl::OkStatus();
    }
    if (role_ == "assistant") {
      if (type == "redacted_thinking") return absl::OkStatus();
      if (type == "thinking") return ReadThought(block, path);
      if (type == "tool_use") return ReadCall(block, path);
    }
    return WrongValue(StrCat(path, ".type"),
                      StrCat("expected text, thinking, tool_use or tool_result, got ",
                             ShownJson(block["type"]), "; this model reads text only"));
  }
  // Makes a message even if no block did.
  void Finish() {
    if (!has_any_) Message();
  }

 private:
  ChatMessage& Message() {
    if (!is_open_) {
      request_->messages.emplace_back().role = role_;
      is_open_ = true;
      has_any_ = true;
    }
    return request_->messages.back();
  }
  absl::Status ReadResult(const Json& block, const std::string& path) {
    ASSIGN_OR_RETURN(std::string text, ReadContent(MemberOf(block, "content"),
                                                   StrCat(path, ".content"), kPlainTextTypes));
    ChatMessage& message = request_->messages.emplace_back();
    message.role = "tool";
    message.content = std::move(text);
    is_open_ = false;
    has_any_ = true;
    return absl::OkStatus();
  }
  absl::Status ReadThought(const Json& block, const std::string& path) {
    ASSIGN_OR_RETURN(Message().reasoning_content, TextMember(block, "thinking", path, true));
    return absl::OkStatus();
  }
  absl::Status ReadCall(const Json& block, const std::string& path) {
    ChatToolCall call;
    ASSIGN_OR_RETURN(call.name, TextMember(block, "name", path, true));
    const Json& input = MemberOf(block, "input");
    if (!input.is_object()) {
      return WrongValue(StrCat(path, ".input"),
                        StrCat("expected an object, got ", KindOfJson(input)));
    }
    call.arguments = JsonText(input);
    Message().tool_calls.push_back(std::move(call));
    return absl::OkStatus();
  }

  std::string role_;
  Request* request_;
  bool is_open_ = false;
  bool has_any_ = false;
};

absl::Status ReadTurn(const Json& turn, const std::string& path, Request* request) {
  if (!turn.is_object()) {
    return WrongValue(path, StrCat("expected an object, got ", KindOfJson(turn)));
  }
  ASSIGN_OR_RETURN(const std::string role, TextMember(turn, "role", path, true));
  if (role != "user" && role != "assistant") {
    return WrongValue(StrCat(path, ".role"),
                      StrCat("expected user or assistant, got ", ShownJson(turn["role"])));
  }
  const Json& content = MemberOf(turn, "content");
  const std::string where = StrCat(path, ".content");
  if (content.is_string()) {
    ChatMessage& message = request->messages.emplace_back();
    message.role = role;
    message.content = content.get<std::string>();
    return absl::OkStatus();
  }
  if (!content.is_array() || content.size() > kMaxContentParts) {
    return WrongValue(where, StrCat("expected a string or an array of at most ", kMaxContentParts,
                                    " blocks, got ", KindOfJson(content)));
  }
  BlockReader blocks(role, request);
  for (size_t i = 0; i < content.size(); ++i) {
    RETURN_IF_ERROR(blocks.Read(content[i], StrCat(where, "[", i, "]")));
  }
  blocks.Finish();
  return absl::OkStatus();
}

absl::Status ReadTurns(const Json& value, std::string_view path, Request* request) {
  if (!value.is_array() || value.empty() || value.size() > kMaxMessages) {
    return WrongValue(
        path, StrCat("expected an array of 1 to ", kMaxMessages, " messages, got ",
                     value.is_array() ? StrCat(value.size()) : std::string(KindOfJson(value))));
  }
  for (size_t i = 0; i < value.size(); ++i) {
    RETURN_IF_ERROR(ReadTurn(value[i], StrCat(path, "[", i, "]"), request));
  }
  return absl::OkStatus();
}

absl::Status ReadMessagesChoice(const Json& value, std::string_view path, Request* request) {
  if (!value.is_object()) {
    return WrongValue(path, StrCat("expected an object, got ", KindOfJson(value)));
  }
  if (const Json& one = MemberOf(value, "disable_parallel_tool_use"); !one.is_null()) {
    if (!one.is_boolean()) {
      return WrongValue(StrCat(path, ".disable_parallel_tool_use"), "expected true or false");
    }
    request->parallel_tool_calls = !one.get<bool>();
  }
  const Json& type = MemberOf(value, "type");
  constexpr std::pair<std::string_view, ToolChoice> kTypes[] = {
      {"auto", ToolChoice::kAuto},
      {"none", ToolChoice::kNone},
      {"any", ToolChoice::kRequired},
      {"tool", ToolChoice::kRequired},
  };
  for (const auto& [name, choice] : kTypes) {
    if (type != name) continue;
    request->tool_choice = choice;
    if (type != "tool") return absl::OkStatus();
    ASSIGN_OR_RETURN(request->tool_name, TextMember(value, "name", path, true));
    return absl::OkStatus();
  }
  return WrongValue(StrCat(path, ".type"),
                    StrCat("expected auto, any, tool or none, got ", ShownJson(type)));
}

absl::Status ReadMessagesTools(const Json& value, std::string_view path, Request* request) {
  return ReadTools(value, path, kMessagesTools, request);
}

absl::Status ReadOutputConfig(const Json& value, std::string_view path, Request* request) {
  static constexpr Parameter kToolChoiceRows[] = {
      {"effort",
       [](const Json& effort, std::string_view where, Request* to) {
         return effort == "max" ? absl::OkStatus() : ReadEffort(effort, where, to);
       }},
      {"format", [](const Json& format, std::string_view where,
                    Request* to) { return ReadOutputFormat(format, where, nullptr, to); }},
  };
  if (!value.is_object()) {
    return WrongValue(path, StrCat("expected an object, got ", KindOfJson(value)));
  }
  return ReadParameters(value, StrCat(path, "."), {kToolChoiceRows}, request);
}

constexpr Parameter kMessagesRows[] = {
    {"messages", &ReadTurns},
    {"max_tokens", &Request::max_tokens, 1, kMaxTokens},
    {"temperature", &Request::temperature, 0, 1},
    {"stop_sequences", &ReadStop},
    {"tools", &ReadMessagesTools},
    {"tool_choice", &ReadMessagesChoice},
    {"output_config", &ReadOutputConfig},
    {"thinking", &ReadThinking},
    {"cache_control", Accepted()},
    {"system", Accepted()},  // read after the messages
    {"container", Refused{"this server runs no containers"}},
    {"mcp_servers", Refused{"this server calls no tools itself", "[]"}},
};

}  // namespace

absl::StatusOr<Request> ReadMessagesRequest(const Json& body, bool needs_max_tokens) {
  Request request;
  request.api = ApiKind::kMessages;
  RETURN_IF_ERROR(ReadParameters(
      body, "", {kMessagesRows, SamplingParameters(), ThinkingParameters()}, &request));
  if (request.messages.empty()) {
    return WrongValue("messages", "expected an array of at least one message, got nothing");
  }
  if (needs_max_tokens && !request.max_tokens) {
    return WrongValue("max_tokens", "expected an integer of at least 1, got nothing");
  }
  ASSIGN_OR_RETURN(std::string system,
                   ReadContent(MemberOf(body, "system"), "system", kPlainTextTypes));
  if (!system.empty()) {
    ChatMessage message;
    message.role = "system";
    message.content = std::move(system);
    request.messages.insert(request.messages.begin(), std::move(message));
  }
  // Answers of this API think only when they are asked to.
  if (!request.think) request.think = false;
  RETURN_IF_ERROR(CheckRequest(request));
  return request;
}

}  // namespace infer::serve
