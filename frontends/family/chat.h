// SPDX-License-Identifier: Apache-2.0
//
// Conversations as an application writes them, whatever the model.
#pragma once

#include <optional>
#include <string>
#include <vector>

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

}  // namespace infer
