// SPDX-License-Identifier: Apache-2.0
//
// Text from a file, made fit for a one-line message.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace infer {

// `text` with control characters, quotes and bytes above 126 as \xNN.
std::string Printable(std::string_view text);

// The same in double quotes; of more than `max_bytes` the rest is left out and its length told.
std::string Quoted(std::string_view text, size_t max_bytes = 80);

}  // namespace infer
