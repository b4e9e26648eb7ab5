// SPDX-License-Identifier: Apache-2.0
#include "tools/prompt/plain_lines.h"

#include <optional>
#include <string>
#include <utility>

#include "ir/base/status_macros.h"
#include "tools/cli/write_all.h"

namespace infer {

// A prompt that cannot be shown is no reason to stop reading.
void PlainLines::Print(std::string_view text) const {
  if (prompt_fd_ >= 0) WriteAll(prompt_fd_, text, "prompt").IgnoreError();
}

absl::StatusOr<InputLine> PlainLines::Next(std::string_view prompt) {
  Print(prompt);
  absl::StatusOr<std::optional<std::string>> line = lines_.Next();
  if (absl::IsCancelled(line.status()) && prompt_fd_ >= 0 && interrupt_->TakeInterrupt()) {
    // The terminal has discarded the line, and has echoed ^C.
    Print("\n");
    return InputLine{InputLine::Kind::kInterrupt};
  }
  RETURN_IF_ERROR(line.status());
  if (!*line) return InputLine{InputLine::Kind::kEnd};
  return InputLine{InputLine::Kind::kText, **std::move(line)};
}

}  // namespace infer
