// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <utility>

namespace infer {

// Returns whether the terminal can show an edited line: TERM says what it is, and there is a UTF-8
// locale, which is switched on.
bool CanEditLines();

// Rows and columns of the terminal on stdout; 0 where unknown.
std::pair<int, int> TerminalSize();

}  // namespace infer
