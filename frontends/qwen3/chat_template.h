// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"

namespace infer {

struct ChatToolCall {
  std::string name;
  // JSON text. It is written in the template's own spacing, or, if `arguments_are_text`, as given.
  std::string arguments;
  bool arguments_are_text = false;
};

struct ChatMessage {
  std::string role;  // "system", "user", "assistant" or "tool"
  std::string content;
  // Of an assistant. If not given, what `content` has before </think> is taken for it.
  std::optional<std::string> reasoning_content;
  std::vector<ChatToolCall> tool_calls;  // of an assistant
};

struct ChatOptions {
  bool add_generation_prompt = true;
  // Off: the prompt ends with an empty thinking block, so that the model answers at once.
  bool enable_thinking = true;
  std::vector<std::string> tools;  // JSON text of each
};

// The prompt that Qwen3's chat template makes of the messages, equal to the byte to what Hugging
// Face renders. Thinking of turns before the last question is left out. Fails if there is no
// message, a role is unknown, or JSON of a tool cannot be parsed.
//
// Message content is not escaped: text such as <|im_end|> in it becomes a control token when the
// prompt is encoded, as it does with the template itself.
absl::StatusOr<std::string> RenderQwen3Chat(std::span<const ChatMessage> messages,
                                            const ChatOptions& options);

// Whether this is the text of a template that RenderQwen3Chat reproduces, by its hash. Tools warn
// when a file's template (tokenizer.chat_template) is another one.
bool IsKnownQwen3ChatTemplate(std::string_view template_text);

}  // namespace infer
