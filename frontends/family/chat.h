// SPDX-License-Identifier: Apache-2.0
//
// Conversations as an application writes them, independent of the model.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace infer {

struct ChatToolCall {
  std::string name;
  // JSON text. It is rendered with the template's own spacing or, if `arguments_are_text`, as
  // given.
  std::string arguments;
  bool arguments_are_text = false;
};

struct ChatMessage {
  std::string role;  // "system", "user", "assistant" or "tool"
  std::string content;
  // Only for an assistant. If not set, the part of `content` before </think> is used.
  std::optional<std::string> reasoning_content;
  std::vector<ChatToolCall> tool_calls;  // only for an assistant
};

struct ChatOptions {
  bool add_generation_prompt = true;
  // If off, the prompt ends with an empty thinking block, so that the model answers at once.
  bool enable_thinking = true;
  std::vector<std::string> tools;  // JSON text of each tool
};

}  // namespace infer
