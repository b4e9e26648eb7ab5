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

constexpr std::string_view kItemTextTypes[] = {"input_text", "output_text", "text", "refusal"};
constexpr std::string_view kThoughtTypes[] = {"reasoning_text", "text"};

// Items of one answer come one by one: a thought, a text, calls. Templates take them as one
// message.
ChatMessage& AnswerToExtend(Request* request) {
  if (request->messages.empty() || request->messages.back().role != "assistant") {
    request->messages.emplace_back().role = "assistant";
  }
  return request->messages.back();
}

absl::Status ReadMessageItem(const Json& item, const std::string& path, Request* request) {
  ASSIGN_OR_RETURN(std::string role, TextMember(item, "role", path, true));
  ASSIGN_OR_RETURN(std::string text, ReadContent(MemberOf(item, "content"),
                                                 StrCat(path, ".content"), kItemTextTypes));
  if (role == "developer") role = "system";
  if (role == "assistant") {
    AnswerToExtend(request).content += text;
    return absl::OkStatus();
  }
  if (role != "system" && role != "user") {
    return WrongValue(
        StrCat(path, ".role"),
        StrCat("expected system, developer, user or assistant, got ", ShownJson(item["role"])));
  }
  ChatMessage& message = request->messages.emplace_back();
  message.role = std::move(role);
  message.content = std::move(text);
  return absl::OkStatus();
}

absl::Status ReadCallItem(const Json& item, const std::string& path, Request* request) {
  ChatToolCall call;
  ASSIGN_OR_RETURN(call.name, TextMember(item, "name", path, true));
  ASSIGN_OR_RETURN(std::string text, TextMember(item, "arguments", path, false));
  CallArguments arguments = ReadArguments(std::move(text));
  call.arguments = std::move(arguments.text);
  call.arguments_are_text = !arguments.is_json;
  AnswerToExtend(request).tool_calls.push_back(std::move(call));
  return absl::OkStatus();
}

absl::Status ReadResultItem(const Json& item, const std::string& path, Request* request) {
  ASSIGN_OR_RETURN(std::string text,
                   ReadContent(MemberOf(item, "output"), StrCat(path, ".output"), kItemTextTypes));
  ChatMessage& message = request->messages.emplace_back();
  message.role = "tool";
  message.content = std::move(text);
  return absl::OkStatus();
}

absl::Status ReadReasoningItem(const Json& item, const std::string& path, Request* request) {
  ASSIGN_OR_RETURN(std::string text,
                   ReadContent(MemberOf(item, "content"), StrCat(path, ".content"), kThoughtTypes));
  if (!text.empty()) AnswerToExtend(request).reasoning_content = std::move(text);
  return absl::OkStatus();
}

absl::Status ReadItem(const Json& item, const std::string& path, Request* request) {
  if (!item.is_object()) {
    return WrongValue(path, StrCat("expected an object, got ", KindOfJson(item)));
  }
  const Json& type = MemberOf(item, "type");
  if (type.is_null() || type == "message") return ReadMessageItem(item, path, request);
  if (type == "function_call") return ReadCallItem(item, path, request);
  if (type == "function_call_output") return ReadResultItem(item, path, request);
  if (type == "reasoning") return ReadReasoningItem(item, path, request);
  return WrongValue(
      StrCat(path, ".type"),
      StrCat("expected message, function_call, function_call_output or reasoning, got ",
             ShownJson(type)));
}

absl::Status ReadInput(const Json& value, std::string_view path, Request* request) {
  if (value.is_string()) {
    ChatMessage& message = request->messages.emplace_back();
    message.role = "user";
    message.content = value.get<std::string>();
    return absl::OkStatus();
  }
  if (!value.is_array() || value.empty() || value.size() > kMaxMessages) {
    return WrongValue(path, StrCat("expected a string or an array of 1 to ", kMaxMessages,
                                   " items, got ", KindOfJson(value)));
  }
  for (size_t i = 0; i < value.size(); ++i) {
    RETURN_IF_ERROR(ReadItem(value[i], StrCat(path, "[", i, "]"), request));
  }
  return absl::OkStatus();
}

absl::Status ReadText(const Json& value, std::string_view path, Request* request) {
  static constexpr Parameter kResponsesRows[] = {
      {"format", [](const Json& format, std::string_view where,
                    Request* to) { return ReadOutputFormat(format, where, nullptr, to); }},
      {"verbosity", Accepted()},
  };
  if (!value.is_object()) {
    return WrongValue(path, StrCat("expected an object, got ", KindOfJson(value)));
  }
  request->echoed.text = JsonText(value);
  return ReadParameters(value, StrCat(path, "."), {kResponsesRows}, request);
}

absl::Status ReadResponsesTools(const Json& value, std::string_view path, Request* request) {
  request->echoed.tools = JsonText(value);
  return ReadTools(value, path, kResponsesTools, request);
}

absl::Status ReadResponsesChoice(const Json& value, std::string_view path, Request* request) {
  request->echoed.tool_choice = JsonText(value);
  return ReadToolChoice(value, path, request);
}

absl::Status ReadInstructions(const Json& value, std::string_view path, Request* request) {
  if (!value.is_string()) {
    return WrongValue(path, StrCat("expected a string, got ", KindOfJson(value)));
  }
  request->echoed.instructions = JsonText(value);
  return absl::OkStatus();
}

absl::Status ReadMetadata(const Json& value, std::string_view path, Request* request) {
  if (!value.is_object()) {
    return WrongValue(path, StrCat("expected an object, got ", KindOfJson(value)));
  }
  request->echoed.metadata = JsonText(value);
  return absl::OkStatus();
}

constexpr std::string_view kStateless =
    "this server keeps no responses; send the whole conversation in input";

constexpr Parameter kResponsesRows[] = {
    {"input", &ReadInput},
    {"instructions", &ReadInstructions},
    {"max_output_tokens", &Request::max_tokens, 1, kMaxTokens},
    {"text", &ReadText},
    {"tools", &ReadResponsesTools},
    {"tool_choice", &ReadResponsesChoice},
    {"parallel_tool_calls", &Request::parallel_tool_calls},
    {"top_logprobs", &Request::top_logprobs, 0, kMaxTopLogprobs},
    {"metadata", &ReadMetadata},
    {"background", Refused{kStateless, "false"}},
    {"conversation", Refused{kStateless}},
    {"previous_response_id", Refused{kStateless}},
    {"prompt", Refused{"this server keeps no prompts; send the text in input"}},
    {"truncation", Refused{"input is never cut; shorten it", "\"disabled\""}},
    {"include", Accepted()},
    {"max_tool_calls", Accepted()},
};

}  // namespace

absl::StatusOr<Request> ReadResponsesRequest(const Json& body) {
  Request request;
  request.api = ApiKind::kResponses;
  RETURN_IF_ERROR(ReadParameters(
      body, "", {kResponsesRows, SamplingParameters(), ThinkingParameters()}, &request));
  if (request.messages.empty()) {
    return WrongValue("input", "expected a string or an array of items, got nothing");
  }
  if (const Json& instructions = MemberOf(body, "instructions"); instructions.is_string()) {
    ChatMessage message;
    message.role = "system";
    message.content = instructions.get<std::string>();
    request.messages.insert(request.messages.begin(), std::move(message));
  }
  request.logprobs = request.top_logprobs.value_or(0) > 0;
  if (!request.logprobs) request.top_logprobs.reset();
  RETURN_IF_ERROR(CheckRequest(request));
  return request;
}

}  // namespace infer::serve
