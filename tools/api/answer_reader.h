// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "frontends/chat/thought_splitter.h"
#include "frontends/chat/tool_call_parser.h"
#include "frontends/family/chat.h"

namespace infer {

enum class AnswerPart : uint8_t { kThought, kContent, kToolName, kToolArguments };

// Takes an answer apart while it is generated: its thought, its text, its calls of tools.
class AnswerReader {
 public:
  // Receives pieces as soon as it is known what they belong to; the tags around them are left out.
  // Returning false ends the generation.
  using Show = std::function<bool(AnswerPart part, std::string_view text)>;

  // `thought_is_open`: the prompt ended with <think>. `tools` are JSON texts; without any, calls
  // are text like any other.
  AnswerReader(bool thought_is_open, std::span<const std::string> tools, Show show);
  AnswerReader(const AnswerReader&) = delete;
  AnswerReader& operator=(const AnswerReader&) = delete;

  // Returns false once Show has.
  bool Feed(std::string_view piece);
  // To be called after the last piece.
  bool Finish();

  // The answer as the next turn of the conversation, once finished.
  ChatMessage TakeMessage();

 private:
  void Emit(AnswerPart part, std::string_view text) { wanted_ = show_(part, text) && wanted_; }
  void OnText(std::string_view text);
  void OnCall(ToolCallParser::Kind kind, std::string_view text);

  Show show_;
  bool wanted_ = true;
  bool has_thought_ = false;
  std::string thought_;
  std::string content_;
  std::vector<ChatToolCall> calls_;
  bool finds_calls_;
  ToolCallParser call_parser_;
  ThoughtSplitter splitter_;
};

}  // namespace infer
