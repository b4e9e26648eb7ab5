// SPDX-License-Identifier: Apache-2.0
#include "tools/prompt/held_texts.h"

#include <algorithm>

#include "frontends/tokenizer/utf8.h"
#include "ir/base/control_chars.h"
#include "ir/base/strings.h"

namespace infer {
namespace {

// A few rows of a terminal; redrawing a longer line at each key becomes visible.
constexpr size_t kLongestLine = 2000;
constexpr size_t kExcerptBytes = 32;

// Returns the first words, in one line.
std::string Excerpt(std::string_view text) {
  const size_t begin = std::min(text.find_first_not_of(" \t\r\n"), text.size());
  text.remove_prefix(begin);
  const size_t end = std::min(text.find('\n'), text.size());
  std::string words;
  for (std::string_view rest = text.substr(0, end); !rest.empty();) {
    const Utf8Scan scan = ScanUtf8(rest);
    if (words.size() + scan.bytes > kExcerptBytes) break;
    const std::string_view character = rest.substr(0, scan.bytes);
    words += HasControl(character) ? std::string(" ") : std::string(character);
    rest.remove_prefix(scan.bytes);
  }
  return words;
}

}  // namespace

std::string HeldTexts::Shown(std::string_view text) {
  if (text.size() <= kLongestLine && !HasControl(text)) return std::string(text);
  for (const auto& [label, held] : labels_) {
    if (held == text) return label;
  }
  const auto lines = std::count(text.begin(), text.end(), '\n') + (text.ends_with('\n') ? 0 : 1);
  std::string label = StrCat("[", lines, lines == 1 ? " line" : " lines", " #", labels_.size() + 1,
                             ": ", Excerpt(text), "...]");
  labels_.emplace_back(label, std::string(text));
  return label;
}

std::string HeldTexts::Expanded(std::string_view line) const {
  std::string expanded;
  while (!line.empty()) {
    const auto found = std::ranges::find_if(
        labels_, [&](const auto& held) { return line.starts_with(held.first); });
    if (line[0] == '[' && found != labels_.end()) {
      expanded += found->second;
      line.remove_prefix(found->first.size());
    } else {
      expanded += line[0];
      line.remove_prefix(1);
    }
  }
  return expanded;
}

}  // namespace infer
