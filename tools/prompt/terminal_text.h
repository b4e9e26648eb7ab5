// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace infer {

// Returns `text`, which others wrote (a model, a file), in a form that a terminal only displays:
// newline and tab stay, every other control character is shown as its picture (ESC as U+241B), and
// bytes that are not UTF-8 and the controls U+0080..U+009F as U+FFFD. A sequence must not be split
// between two calls.
std::string TerminalText(std::string_view text);

}  // namespace infer
