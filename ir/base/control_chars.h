// SPDX-License-Identifier: Apache-2.0
//
// Names come from files that others wrote and end on terminals, which obey what control characters
// tell them. They are refused where names are read, so that whoever prints a name need not think
// of it.
#pragma once

#include <string>
#include <string_view>

namespace infer {

// Whether `text` has a character below the blank, DEL, or one of U+0080..U+009F, which terminals
// take for the beginning of a command too.
bool HasControl(std::string_view text);

// The first line of a text that a compiler or driver wrote, with a blank for each control
// character.
std::string FirstLine(std::string_view text);

}  // namespace infer
