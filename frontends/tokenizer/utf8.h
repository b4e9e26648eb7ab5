// SPDX-License-Identifier: Apache-2.0
//
// Decodes UTF-8 one sequence at a time: checked for text from outside, unchecked for text known to
// be valid.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace infer {

// What stands for a byte sequence that is not UTF-8.
inline constexpr char32_t kReplacementCharacter = 0xFFFD;

enum class Utf8Kind : uint8_t {
  kComplete,   // a well-formed sequence
  kTruncated,  // the text ends inside a sequence that was well-formed so far
  kInvalid,    // no continuation can make it well-formed
};

struct Utf8Scan {
  Utf8Kind kind;
  uint8_t bytes;  // length of the sequence, or of the maximal ill-formed part (1 to 3)
};

// Examines the sequence at the start of `text`, which must not be empty. Overlong forms, surrogates
// and values above U+10FFFF are invalid.
Utf8Scan ScanUtf8(std::string_view text);

// Returns `text` itself if it is valid. Otherwise fills `storage` with a copy in which each maximal
// ill-formed part is U+FFFD, the substitution Unicode recommends (Python's errors="replace").
std::string_view ReplaceInvalidUtf8(std::string_view text, std::string* storage);

void AppendUtf8(char32_t code_point, std::string* out);

// Returns the number of ASCII bytes at the start of `text`.
size_t AsciiPrefixBytes(std::string_view text);

struct DecodedCodePoint {
  char32_t value;
  uint8_t bytes;
};

// Returns the code point at byte `begin` of `text`, which must be valid UTF-8 there.
inline DecodedCodePoint DecodeValidUtf8(std::string_view text, size_t begin) {
  auto at = [&](size_t i) { return static_cast<char32_t>(static_cast<uint8_t>(text[begin + i])); };
  char32_t lead = at(0);
  if (lead < 0x80) return {lead, 1};
  if (lead < 0xE0) return {(lead & 0x1F) << 6 | (at(1) & 0x3F), 2};
  if (lead < 0xF0) return {(lead & 0x0F) << 12 | (at(1) & 0x3F) << 6 | (at(2) & 0x3F), 3};
  return {(lead & 0x07) << 18 | (at(1) & 0x3F) << 12 | (at(2) & 0x3F) << 6 | (at(3) & 0x3F), 4};
}

}  // namespace infer
