// SPDX-License-Identifier: Apache-2.0
//
// Makes text from a file fit for a one-line message.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace infer {

// Returns `text` with control characters, quotes and bytes above 126 as \xNN.
std::string Printable(std::string_view text);

// Returns the same in double quotes. Text longer than `max_bytes` is shortened, followed by its
// length.
std::string Quoted(std::string_view text, size_t max_bytes = 80);

}  // namespace infer
