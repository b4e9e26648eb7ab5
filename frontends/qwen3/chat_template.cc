// SPDX-License-Identifier: Apache-2.0
#include "frontends/qwen3/chat_template.h"

#include <xxhash.h>

#include <algorithm>
#include <cstdint>

#include "absl/status/status.h"
#include "frontends/qwen3/chat_json.h"
#include "ir/base/status_macros.h"
#include "ir/base/strings.h"

namespace infer {
namespace {

// xxh3-64 of the template that Qwen3's files carry (0.6B to 32B and the MoE models, April 2025).
constexpr uint64_t kKnownTemplates[] = {0x0283f874ff58d644};

constexpr std::string_view kToolsIntro =
    "# Tools\n\nYou may call one or more functions to assist with the user query.\n\nYou are "
    "provided with function signatures within <tools></tools> XML tags:\n<tools>";
constexpr std::string_view kToolsOutro =
    "\n</tools>\n\nFor each function call, return a json object with function name and arguments "
    "within <tool_call></tool_call> XML tags:\n<tool_call>\n{\"name\": <function-name>, "
    "\"arguments\": <args-json-object>}\n</tool_call><|im_end|>\n";

std::string_view StripFront(std::string_view text) {
  text.remove_prefix(std::min(text.find_first_not_of('\n'), text.size()));
  return text;
}

std::string_view StripBack(std::string_view text) {
  size_t last = text.find_last_not_of('\n');
  return text.substr(0, last == std::string_view::npos ? 0 : last + 1);
}

struct AssistantText {
  std::string_view reasoning;
  std::string_view content;
};

// The reasoning is the text between the last <think> before the first </think> and that </think>;
// the answer follows the last </think>.
AssistantText SplitReasoning(const ChatMessage& message) {
  constexpr std::string_view kOpen = "<think>";
  constexpr std::string_view kClose = "</think>";
  std::string_view content = message.content;
  if (message.reasoning_content.has_value()) return {*message.reasoning_content, content};
  size_t first_close = content.find(kClose);
  if (first_close == std::string_view::npos) return {{}, content};
  std::string_view reasoning = StripBack(content.substr(0, first_close));
  if (size_t open = reasoning.rfind(kOpen); open != std::string_view::npos) {
    reasoning.remove_prefix(open + kOpen.size());
  }
  return {StripFront(reasoning), StripFront(content.substr(content.rfind(kClose) + kClose.size()))};
}

// A user message that only wraps a tool's response belongs to the turn before it.
bool IsQuestion(const ChatMessage& message) {
  std::string_view content = message.content;
  return message.role == "user" &&
         !(content.starts_with("<tool_response>") && content.ends_with("</tool_response>"));
}

size_t LastQuestion(std::span<const ChatMessage> messages) {
  for (size_t i = messages.size(); i > 0; --i) {
    if (IsQuestion(messages[i - 1])) return i - 1;
  }
  return messages.size() - 1;
}

absl::Status AppendHead(std::span<const ChatMessage> messages, const ChatOptions& options,
                        std::string* out) {
  bool has_system = messages[0].role == "system";
  if (options.tools.empty()) {
    if (has_system) StrAppend(out, "<|im_start|>system\n", messages[0].content, "<|im_end|>\n");
    return absl::OkStatus();
  }
  StrAppend(out, "<|im_start|>system\n");
  if (has_system) StrAppend(out, messages[0].content, "\n\n");
  StrAppend(out, kToolsIntro);
  for (size_t i = 0; i < options.tools.size(); ++i) {
    ASSIGN_OR_RETURN(std::string json, FormatChatJson(options.tools[i], StrCat("tool ", i)));
    StrAppend(out, "\n", json);
  }
  StrAppend(out, kToolsOutro);
  return absl::OkStatus();
}

absl::Status AppendToolCalls(size_t index, const ChatMessage& message, bool has_content,
                             std::string* out) {
  for (size_t i = 0; i < message.tool_calls.size(); ++i) {
    const ChatToolCall& call = message.tool_calls[i];
    if (i > 0 || has_content) StrAppend(out, "\n");
    StrAppend(out, "<tool_call>\n{\"name\": \"", call.name, "\", \"arguments\": ");
    if (call.arguments_are_text) {
      StrAppend(out, call.arguments);
    } else {
      ASSIGN_OR_RETURN(std::string json,
                       FormatChatJson(call.arguments,
                                      StrCat("message ", index, ", arguments of tool call ", i)));
      StrAppend(out, json);
    }
    StrAppend(out, "}\n</tool_call>");
  }
  return absl::OkStatus();
}

absl::Status AppendAssistant(std::span<const ChatMessage> messages, size_t index,
                             size_t last_question, std::string* out) {
  const ChatMessage& message = messages[index];
  AssistantText text = SplitReasoning(message);
  bool is_last = index + 1 == messages.size();
  StrAppend(out, "<|im_start|>assistant\n");
  if (index > last_question && (is_last || !text.reasoning.empty())) {
    StrAppend(out, "<think>\n", StripBack(StripFront(text.reasoning)), "\n</think>\n\n",
              StripFront(text.content));
  } else {
    StrAppend(out, text.content);
  }
  RETURN_IF_ERROR(AppendToolCalls(index, message, !text.content.empty(), out));
  StrAppend(out, "<|im_end|>\n");
  return absl::OkStatus();
}

// Adjacent tool responses share one user turn.
void AppendToolAnswer(std::span<const ChatMessage> messages, size_t index, std::string* out) {
  if (index == 0 || messages[index - 1].role != "tool") StrAppend(out, "<|im_start|>user");
  StrAppend(out, "\n<tool_response>\n", messages[index].content, "\n</tool_response>");
  if (index + 1 == messages.size() || messages[index + 1].role != "tool") {
    StrAppend(out, "<|im_end|>\n");
  }
}

absl::Status AppendMessage(std::span<const ChatMessage> messages, size_t index,
                           size_t last_question, std::string* out) {
  const ChatMessage& message = messages[index];
  if (message.role == "assistant") return AppendAssistant(messages, index, last_question, out);
  if (!message.tool_calls.empty()) {
    return absl::InvalidArgumentError(StrCat("message ", index, " has tool calls, but its role is ",
                                             message.role, ": only the assistant calls tools"));
  }
  if (message.role == "tool") {
    AppendToolAnswer(messages, index, out);
  } else if (message.role == "user" || message.role == "system") {
    if (index == 0 && message.role == "system") return absl::OkStatus();  // AppendHead wrote it
    StrAppend(out, "<|im_start|>", message.role, "\n", message.content, "<|im_end|>\n");
  } else {
    return absl::InvalidArgumentError(StrCat("message ", index, " has the role \"", message.role,
                                             "\", expected system, user, assistant or tool"));
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<std::string> RenderQwen3Chat(std::span<const ChatMessage> messages,
                                            const ChatOptions& options) {
  if (messages.empty()) {
    return absl::InvalidArgumentError("the chat has no message, expected at least one");
  }
  std::string out;
  RETURN_IF_ERROR(AppendHead(messages, options, &out));
  size_t last_question = LastQuestion(messages);
  for (size_t i = 0; i < messages.size(); ++i) {
    RETURN_IF_ERROR(AppendMessage(messages, i, last_question, &out));
  }
  if (options.add_generation_prompt) {
    StrAppend(&out, "<|im_start|>assistant\n");
    if (!options.enable_thinking) StrAppend(&out, "<think>\n\n</think>\n\n");
  }
  return out;
}

bool IsKnownQwen3ChatTemplate(std::string_view template_text) {
  uint64_t hash = XXH3_64bits(template_text.data(), template_text.size());
  return std::find(std::begin(kKnownTemplates), std::end(kKnownTemplates), hash) !=
         std::end(kKnownTemplates);
}

}  // namespace infer
