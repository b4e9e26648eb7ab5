// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace infer::chat {

// Returns the text that a string literal of a template stands for, given what is between its
// quotes. Escapes are Python's; a backslash before any other character stays.
std::string Unescape(std::string_view literal);

}  // namespace infer::chat
