// SPDX-License-Identifier: Apache-2.0
//
// Characters of valid UTF-8 as Python's str sees them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace infer::chat {

size_t CountCharacters(std::string_view text);

// Returns the byte at which character `index` begins, or the size of the text if there are fewer.
size_t ByteOfCharacter(std::string_view text, size_t index);

bool IsSpace(char32_t c);      // str.isspace
bool IsLineEnd(char32_t c);    // str.splitlines
bool IsPrintable(char32_t c);  // str.isprintable
bool IsLetter(char32_t c);     // str.isalpha
bool IsDigit(char32_t c);      // str.isdigit, for decimal digits
bool IsUpper(char32_t c);
bool IsLower(char32_t c);

bool AllCharacters(std::string_view text, bool (*is)(char32_t));
// str.isupper and str.islower: at least one letter of the case and none of the other.
bool AllInCase(std::string_view text, bool (*is_wanted)(char32_t), bool (*is_other)(char32_t));

// Appends the character in upper case, which may be two characters (the German sharp s).
void AppendUpper(char32_t c, std::string* out);
void AppendTitle(char32_t c, std::string* out);
void AppendLower(char32_t c, std::string* out);

struct ByteRange {
  size_t begin;
  size_t end;
};

// Returns what is left after removing characters of `characters` from the ends; white space if
// `characters` is null.
ByteRange Strip(std::string_view text, const std::string_view* characters, bool left, bool right);

}  // namespace infer::chat
