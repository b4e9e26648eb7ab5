// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>

#include "frontends/chat/tool_call_text.h"

namespace infer {

// Finds calls of tools in an answer while it is generated. Text that is no valid call is content,
// never an error, and nothing is lost. A call is announced when it is complete: before that it
// could still turn out to be text. Everything before it is passed on at once.
class ToolCallParser {
 public:
  enum class Kind : uint8_t {
    kContent,    // text of the answer
    kCallBegin,  // the name of the tool
    kArguments,  // JSON text
    kCallEnd,
  };
  using Emit = std::function<void(Kind kind, std::string_view text)>;

  // `tools` are JSON texts; their types decide how Qwen3-Coder's values become JSON.
  ToolCallParser(std::span<const std::string> tools, Emit emit);

  void Feed(std::string_view piece);
  // Emits what was held back.
  void Finish() { Parse(true); }

  int calls() const { return calls_; }

 private:
  void Parse(bool finished);
  bool ParseCall(bool finished);
  void EmitContent(size_t bytes);

  // A call may contain </tool_call> in a string; after this many of them it is taken for text.
  static constexpr int kMaxAttempts = 64;
  // After this many texts that looked like calls, the rest of the answer is text.
  static constexpr int kMaxFailures = 1000;

  TypedParameters typed_;
  Emit emit_;
  std::string held_;  // not emitted yet; begins with <tool_call> if in_call_
  bool in_call_ = false;
  size_t searched_ = 0;  // bytes of held_ without another </tool_call>
  int attempts_ = 0;
  int failures_ = 0;
  int calls_ = 0;
};

}  // namespace infer
