// SPDX-License-Identifier: Apache-2.0
//
// GPT-2's visible alphabet: each of the 256 bytes is written as one printable code point, so that a
// vocabulary of byte strings can be stored as text. Bytes that are printable in Latin-1 stand for
// themselves; the other 68 become U+0100, U+0101, ... in ascending order.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace infer {

// Returns the UTF-8 text that stands for `byte`.
std::string_view ByteToAlphabet(uint8_t byte);

// Appends the bytes that `text` stands for and returns true; appends nothing and returns false if a
// part of `text` is not in the alphabet.
bool AppendBytesOfAlphabet(std::string_view text, std::string* out);

}  // namespace infer
