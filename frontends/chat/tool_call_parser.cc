// SPDX-License-Identifier: Apache-2.0
#include "frontends/chat/tool_call_parser.h"

#include <algorithm>

#include "frontends/chat/partial_match.h"

namespace infer {

ToolCallParser::ToolCallParser(std::span<const std::string> tools, Emit emit)
    : emit_(std::move(emit)) {
  for (const std::string& tool : tools) AddTypedParameters(tool, &typed_);
}

void ToolCallParser::Feed(std::string_view piece) {
  held_ += piece;
  Parse(false);
}

void ToolCallParser::EmitContent(size_t bytes) {
  if (bytes > 0) emit_(Kind::kContent, std::string_view(held_).substr(0, bytes));
  held_.erase(0, bytes);
}

void ToolCallParser::Parse(bool finished) {
  while (true) {
    if (in_call_) {
      if (!ParseCall(finished)) return;
      continue;
    }
    const size_t open = failures_ > kMaxFailures ? std::string::npos : held_.find(kToolCallOpen);
    if (open == std::string::npos) {
      EmitContent(held_.size() - (finished ? 0 : PartialMatchBytes(held_, kToolCallOpen)));
      return;
    }
    EmitContent(open);
    in_call_ = true;
    searched_ = kToolCallOpen.size();
    attempts_ = 0;
  }
}

// Returns false if more text is needed to decide.
bool ToolCallParser::ParseCall(bool finished) {
  std::string_view body = std::string_view(held_).substr(kToolCallOpen.size());
  ToolCallText call;
  const size_t close = held_.find(kToolCallClose, searched_);
  if (!MayBecomeToolCall(body)) {
    call.status = ToolCallText::Status::kInvalid;
  } else if (close == std::string::npos) {
    // The tag may be cut: look at its beginning again.
    const size_t keep = std::min(held_.size(), kToolCallClose.size() - 1);
    searched_ = std::max(searched_, held_.size() - keep);
    if (!finished) return false;
  } else {
    searched_ = close + kToolCallClose.size();
    call = ReadToolCall(body.substr(0, searched_ - kToolCallOpen.size()), typed_);
    if (call.status == ToolCallText::Status::kIncomplete && ++attempts_ < kMaxAttempts) return true;
  }
  in_call_ = false;
  if (call.status == ToolCallText::Status::kCall) {
    ++calls_;
    emit_(Kind::kCallBegin, call.name);
    emit_(Kind::kArguments, call.arguments);
    emit_(Kind::kCallEnd, "");
    held_.erase(0, kToolCallOpen.size() + call.end);
  } else {
    ++failures_;
    EmitContent(kToolCallOpen.size());
  }
  return true;
}

}  // namespace infer
