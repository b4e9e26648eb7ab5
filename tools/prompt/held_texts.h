// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace infer {

// Stands in for texts that do not fit a line that is edited: with newlines, with control
// characters, or very long. The line shows a label, "[2000 lines #3: int main() ...]", which is
// edited, deleted and recalled as a whole; the text takes its place when the line is entered.
class HeldTexts {
 public:
  // Returns `text` itself if a line can show it, else its label.
  std::string Shown(std::string_view text);
  // Returns `line` with each label replaced by its text.
  std::string Expanded(std::string_view line) const;

 private:
  std::vector<std::pair<std::string, std::string>> labels_;  // label, text
};

}  // namespace infer
