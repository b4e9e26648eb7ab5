// SPDX-License-Identifier: Apache-2.0
#include "tools/api/answer_reader.h"

#include <algorithm>
#include <utility>

namespace infer {
namespace {

// Templates add the empty lines around a thought themselves.
std::string WithoutEmptyLines(std::string_view text) {
  text.remove_prefix(std::min(text.find_first_not_of('\n'), text.size()));
  return std::string(text.substr(0, text.find_last_not_of('\n') + 1));
}

}  // namespace

AnswerReader::AnswerReader(bool thought_is_open, std::span<const std::string> tools, Show show)
    : show_(std::move(show)),
      has_thought_(thought_is_open),
      finds_calls_(!tools.empty()),
      call_parser_(
          tools, [this](ToolCallParser::Kind kind, std::string_view text) { OnCall(kind, text); }),
      splitter_(thought_is_open, [this](ThoughtSplitter::Kind kind, std::string_view piece) {
        if (kind == ThoughtSplitter::Kind::kContent) return OnText(piece);
        has_thought_ = true;
        thought_ += piece;
        Emit(AnswerPart::kThought, piece);
      }) {}

void AnswerReader::OnText(std::string_view text) {
  if (finds_calls_) return call_parser_.Feed(text);
  content_ += text;
  Emit(AnswerPart::kContent, text);
}

void AnswerReader::OnCall(ToolCallParser::Kind kind, std::string_view text) {
  switch (kind) {
    case ToolCallParser::Kind::kContent:
      content_ += text;
      return Emit(AnswerPart::kContent, text);
    case ToolCallParser::Kind::kCallBegin:
      calls_.emplace_back().name = std::string(text);
      return Emit(AnswerPart::kToolName, text);
    case ToolCallParser::Kind::kArguments:
      calls_.back().arguments += text;
      return Emit(AnswerPart::kToolArguments, text);
    case ToolCallParser::Kind::kCallEnd:
      return;
  }
}

bool AnswerReader::Feed(std::string_view piece) {
  splitter_.Feed(piece);
  return wanted_;
}

bool AnswerReader::Finish() {
  splitter_.Finish();
  if (finds_calls_) call_parser_.Finish();
  return wanted_;
}

ChatMessage AnswerReader::TakeMessage() {
  ChatMessage message;
  message.role = "assistant";
  if (has_thought_) message.reasoning_content = WithoutEmptyLines(thought_);
  const bool trims = has_thought_ || !calls_.empty();
  message.content = trims ? WithoutEmptyLines(content_) : std::move(content_);
  message.tool_calls = std::move(calls_);
  return message;
}

}  // namespace infer
