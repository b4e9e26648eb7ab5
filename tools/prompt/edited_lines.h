// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "tools/cli/interrupt.h"
#include "tools/prompt/line_source.h"

namespace infer {

struct EditOptions {
  uint64_t limit_bytes = 0;               // of a pasted text
  std::vector<std::string> history = {};  // earlier texts, oldest first
  // Called with each new text of the history; may be empty.
  std::function<void(std::string_view)> on_remember = {};
  // Returns the texts that `before`, the part of the line before the cursor, can be completed to.
  std::function<std::vector<std::string>(std::string_view before)> complete = {};
  // Tells the user that a pasted text was cut at the limit.
  std::function<void()> on_cut = {};
};

// Returns lines of the terminal on stdin and stdout, edited with libedit: arrow keys, history,
// completion, pasted texts. Null if this build has no libedit or the terminal cannot be used this
// way (TERM=dumb, no UTF-8 locale). Only one may exist at a time. `interrupt` must outlive it.
std::unique_ptr<LineSource> MakeEditedLines(EditOptions options, Interrupt* interrupt);

}  // namespace infer
