// SPDX-License-Identifier: Apache-2.0
#include "frontends/qwen3/chat_template.h"

#include <xxhash.h>

#include <algorithm>
#include <cstdint>

#include "absl/status/status.h"
#include "frontends/chat/json_text.h"
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

// The prompt so far. What the messages say is marked, so that it never becomes a special token.
class Prompt {
 public:
  void Add(std::string_view text) { text_.AppendTrusted(text); }
  void AddMessage(std::string_view text) { text_.Append(text, /*from_request=*/true); }
  absl::Status AddJson(std::string_view json, std::string_view what) {
    ASSIGN_OR_RETURN(const MarkedText text, chat::ReformatJson(json, what));
    text_.Append(text);
    return absl::OkStatus();
  }
  MarkedText Take() { return std::move(text_); }

 private:
  MarkedText text_;
};

absl::Status AddHead(std::span<const ChatMessage> messages, const ChatOptions& options,
                     Prompt* out) {
  const bool has_system = messages[0].role == "system";
  if (!has_system && options.tools.empty()) return absl::OkStatus();
  out->Add("<|im_start|>system\n");
  if (has_system) out->AddMessage(messages[0].content);
  if (options.tools.empty()) {
    out->Add("<|im_end|>\n");
    return absl::OkStatus();
  }
  if (has_system) out->Add("\n\n");
  out->Add(kToolsIntro);
  for (size_t i = 0; i < options.tools.size(); ++i) {
    out->Add("\n");
    RETURN_IF_ERROR(out->AddJson(options.tools[i], StrCat("tool ", i)));
  }
  out->Add(kToolsOutro);
  return absl::OkStatus();
}

absl::Status AddToolCalls(size_t index, const ChatMessage& message, bool has_content, Prompt* out) {
  for (size_t i = 0; i < message.tool_calls.size(); ++i) {
    const ChatToolCall& call = message.tool_calls[i];
    if (i > 0 || has_content) out->Add("\n");
    out->Add("<tool_call>\n{\"name\": \"");
    out->AddMessage(call.name);
    out->Add("\", \"arguments\": ");
    if (call.arguments_are_text) {
      out->AddMessage(call.arguments);
    } else {
      RETURN_IF_ERROR(
          out->AddJson(call.arguments, StrCat("message ", index, ", arguments of tool call ", i)));
    }
    out->Add("}\n</tool_call>");
  }
  return absl::OkStatus();
}

absl::Status AddAssistant(std::span<const ChatMessage> messages, size_t index, size_t last_question,
                          Prompt* out) {
  const ChatMessage& message = messages[index];
  const AssistantText text = SplitReasoning(message);
  const bool is_last = index + 1 == messages.size();
  out->Add("<|im_start|>assistant\n");
  if (index > last_question && (is_last || !text.reasoning.empty())) {
    out->Add("<think>\n");
    out->AddMessage(StripBack(StripFront(text.reasoning)));
    out->Add("\n</think>\n\n");
    out->AddMessage(StripFront(text.content));
  } else {
    out->AddMessage(text.content);
  }
  RETURN_IF_ERROR(AddToolCalls(index, message, !text.content.empty(), out));
  out->Add("<|im_end|>\n");
  return absl::OkStatus();
}

// Adjacent tool responses share one user turn.
void AddToolAnswer(std::span<const ChatMessage> messages, size_t index, Prompt* out) {
  if (index == 0 || messages[index - 1].role != "tool") out->Add("<|im_start|>user");
  out->Add("\n<tool_response>\n");
  out->AddMessage(messages[index].content);
  out->Add("\n</tool_response>");
  if (index + 1 == messages.size() || messages[index + 1].role != "tool") {
    out->Add("<|im_end|>\n");
  }
}

absl::Status AddMessage(std::span<const ChatMessage> messages, size_t index, size_t last_question,
                        Prompt* out) {
  const ChatMessage& message = messages[index];
  if (message.role == "assistant") return AddAssistant(messages, index, last_question, out);
  if (!message.tool_calls.empty()) {
    return absl::InvalidArgumentError(StrCat("message ", index, " has tool calls, but its role is ",
                                             message.role, ": only the assistant calls tools"));
  }
  if (message.role == "tool") {
    AddToolAnswer(messages, index, out);
  } else if (message.role == "user" || message.role == "system") {
    if (index == 0 && message.role == "system") return absl::OkStatus();  // AddHead wrote it
    out->Add(StrCat("<|im_start|>", message.role, "\n"));
    out->AddMessage(message.content);
    out->Add("<|im_end|>\n");
  } else {
    return absl::InvalidArgumentError(StrCat("message ", index, " has the role \"", message.role,
                                             "\", expected system, user, assistant or tool"));
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<MarkedText> RenderQwen3Chat(std::span<const ChatMessage> messages,
                                           const ChatOptions& options) {
  if (messages.empty()) {
    return absl::InvalidArgumentError("the chat has no message, expected at least one");
  }
  Prompt out;
  RETURN_IF_ERROR(AddHead(messages, options, &out));
  const size_t last_question = LastQuestion(messages);
  for (size_t i = 0; i < messages.size(); ++i) {
    RETURN_IF_ERROR(AddMessage(messages, i, last_question, &out));
  }
  if (options.add_generation_prompt) {
    out.Add("<|im_start|>assistant\n");
    if (!options.enable_thinking) out.Add("<think>\n\n</think>\n\n");
  }
  return out.Take();
}

bool IsKnownQwen3ChatTemplate(std::string_view template_text) {
  uint64_t hash = XXH3_64bits(template_text.data(), template_text.size());
  return std::find(std::begin(kKnownTemplates), std::end(kKnownTemplates), hash) !=
         std::end(kKnownTemplates);
}

}  // namespace infer
