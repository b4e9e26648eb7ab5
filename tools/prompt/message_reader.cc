// SPDX-License-Identifier: Apache-2.0
#include "tools/prompt/message_reader.h"

#include <algorithm>
#include <utility>

#include "ir/base/status_macros.h"
#include "ir/base/strings.h"

namespace infer {
namespace {

constexpr std::string_view kQuotes = "\"\"\"";
constexpr std::string_view kBlanks = " \t\r";

std::string_view WithoutBlanksBefore(std::string_view text) {
  text.remove_prefix(std::min(text.find_first_not_of(kBlanks), text.size()));
  return text;
}

std::string_view WithoutBlanksBehind(std::string_view text) {
  return text.substr(0, text.find_last_not_of(" \t\r\n") + 1);
}

}  // namespace

absl::StatusOr<InputMessage> MessageReader::Next(std::string_view prompt,
                                                 std::string_view next_prompt) {
  ASSIGN_OR_RETURN(InputLine line, source_->Next(prompt));
  const std::string_view begin = WithoutBlanksBefore(line.text);
  if (line.kind == InputLine::Kind::kText && begin.starts_with(kQuotes)) {
    return Block(std::string(begin.substr(kQuotes.size())), next_prompt);
  }
  if (line.text.ends_with('\n')) line.text.pop_back();  // of a pasted text
  return InputMessage{line.kind, std::move(line.text), false, line.was_empty};
}

absl::StatusOr<InputMessage> MessageReader::Block(std::string first, std::string_view prompt) {
  InputMessage message{.quoted = true};
  std::string line = std::move(first);
  for (bool is_first = true;; is_first = false) {
    const std::string_view text = WithoutBlanksBehind(line);
    const bool closes = text.ends_with(kQuotes);
    std::string_view kept = line;
    if (closes) {
      kept = text.substr(0, text.size() - kQuotes.size());
      if (kept.ends_with('\n')) kept.remove_suffix(1);  // pasted with its line breaks
    }
    // A line with nothing but the quotes adds no line.
    const bool adds = is_first ? !kept.empty() : !(closes && kept.empty());
    if (adds) StrAppend(&message.text, message.text.empty() && is_first ? "" : "\n", kept);
    if (closes) break;
    if (message.text.size() > limit_bytes_) {
      return absl::InvalidArgumentError(
          StrCat("a message holds more than the ", limit_bytes_, " bytes allowed here"));
    }
    ASSIGN_OR_RETURN(InputLine next, source_->Next(prompt));
    if (next.kind == InputLine::Kind::kInterrupt) {
      return InputMessage{.kind = next.kind, .was_empty = false};
    }
    if (next.kind == InputLine::Kind::kEnd) break;
    line = std::move(next.text);
  }
  // The newline behind opening quotes that stand alone is not part of the text.
  if (message.text.starts_with('\n')) message.text.erase(0, 1);
  return message;
}

}  // namespace infer
