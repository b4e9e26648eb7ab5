// SPDX-License-Identifier: Apache-2.0
//
// Names come from files that others wrote and are printed on terminals, which interpret control
// characters. Control characters are refused where names are read, so that code that prints a name
// does not have to handle them.
#pragma once

#include <string>
#include <string_view>

namespace infer {

// Returns whether `text` has a character below U+0020, DEL, or one of U+0080..U+009F, which
// terminals also take as the start of a control sequence.
bool HasControl(std::string_view text);

// Returns the first line of a text that a compiler or driver wrote, with each control character
// replaced by a blank.
std::string FirstLine(std::string_view text);

}  // namespace infer
