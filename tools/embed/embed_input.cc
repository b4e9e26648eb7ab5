// SPDX-License-Identifier: Apache-2.0
#include "tools/embed/embed_input.h"

#include <algorithm>

#include "ir/base/json.h"
#include "ir/base/strings.h"

namespace infer {

std::vector<std::string> TextLines(std::string_view text) {
  std::vector<std::string> lines;
  while (!text.empty()) {
    const size_t end = std::min(text.find('\n'), text.size());
    std::string_view line = text.substr(0, end);
    if (line.ends_with('\r')) line.remove_suffix(1);
    lines.emplace_back(line);
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return lines;
}

absl::StatusOr<std::vector<std::string>> JsonLines(std::string_view text) {
  std::vector<std::string> texts;
  const std::vector<std::string> lines = TextLines(text);
  for (size_t i = 0; i < lines.size(); ++i) {
    if (lines[i].find_first_not_of(" \t") == std::string::npos) continue;
    // Deep nesting cannot exhaust the stack: nlohmann's parser keeps its own.
    const Json json = ParseJson(lines[i]);
    if (json.is_string()) {
      texts.push_back(json.get<std::string>());
    } else if (json.is_object() && json.contains("text") && json["text"].is_string()) {
      texts.push_back(json["text"].get<std::string>());
    } else {
      return absl::InvalidArgumentError(
          StrCat("line ", i + 1, json.is_discarded() ? " is not valid JSON" : " holds no text",
                 ": expected a string or an object with a member \"text\""));
    }
  }
  return texts;
}

}  // namespace infer
