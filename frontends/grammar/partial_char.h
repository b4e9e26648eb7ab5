// SPDX-License-Identifier: Apache-2.0
//
// Decodes one character byte by byte: UTF-8, and the escapes of JSON strings. Between two bytes the
// state says which code points the character can still become, which is always one or two ranges:
// a grammar refuses a byte as soon as none of them is allowed.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>

#include "frontends/grammar/code_point_set.h"

namespace infer {

// Part of a character. kNone is the state between two characters.
struct PartialChar {
  enum Mode : uint8_t {
    kNone,
    kUtf8Two,     // two more continuation bytes; one byte of four or three came
    kUtf8One,     // one more
    kUtf8Three,   // three more
    kBackslash,   // after a backslash
    kHex,         // after \u and `digits` digits
    kHighDone,    // after a whole high surrogate: a backslash must follow
    kHighEscape,  // ... and then a u
    kLowHex,      // ... and then `digits` digits of a low surrogate
  };
  Mode mode = kNone;
  uint8_t digits = 0;
  uint32_t value = 0;  // bits so far; with a high surrogate those of the code point

  // Whether it is spelled with an escape.
  bool IsEscape() const { return mode >= kBackslash; }

  friend bool operator==(const PartialChar&, const PartialChar&) = default;

  // For states of grammars: the whole of it in 32 bits.
  uint32_t Packed() const { return uint32_t{mode} << 28 | uint32_t{digits} << 24 | value; }
  static PartialChar Unpack(uint32_t packed) {
    return {static_cast<Mode>(packed >> 28), static_cast<uint8_t>(packed >> 24 & 15),
            packed & 0xFFFFFF};
  }
};

enum class CharStep : uint8_t {
  kRefused,   // no character begins so
  kPartial,   // goes on
  kComplete,  // `value` is the code point
};

// Continues with a byte of plain UTF-8. Overlong forms, surrogates and values above U+10FFFF are
// refused at the first byte that makes them certain.
CharStep StepUtf8(uint8_t byte, PartialChar* partial);

// Continues with a byte inside a JSON string: UTF-8 or an escape. The closing quote and control
// characters are refused, as are surrogates that do not form a pair.
CharStep StepJsonCharSlowly(uint8_t byte, PartialChar* partial);
inline CharStep StepJsonChar(uint8_t byte, PartialChar* partial) {
  const bool is_plain = byte >= 0x20 && byte < 0x80 && byte != '"' && byte != '\\';
  if (!is_plain || partial->mode != PartialChar::kNone) return StepJsonCharSlowly(byte, partial);
  partial->value = byte;
  return CharStep::kComplete;
}

// Whether JSON strings must escape the code point.
inline bool NeedsEscape(uint32_t code_point) {
  return code_point < 0x20 || code_point == '"' || code_point == '\\';
}

// The code points that a character which is kPartial can become. The second range may be empty
// (low above high).
std::array<CodePointRange, 2> PossibleCodePoints(const PartialChar& partial);

// Calls `use` with the ranges of code points that the character can become, until it returns true.
// With `only_needed` those that an escape may stand for are the ones that need it.
template <class Use>
bool AnyPossible(const PartialChar& partial, bool only_needed, const Use& use) {
  for (const CodePointRange& range : PossibleCodePoints(partial)) {
    if (range.low > range.high) continue;
    if (!only_needed || !partial.IsEscape()) {
      if (use(range.low, range.high)) return true;
      continue;
    }
    for (const CodePointRange& needed :
         {CodePointRange{0, 0x1F}, CodePointRange{'"', '"'}, CodePointRange{'\\', '\\'}}) {
      const uint32_t low = std::max(range.low, needed.low);
      const uint32_t high = std::min(range.high, needed.high);
      if (low <= high && use(low, high)) return true;
    }
  }
  return false;
}

}  // namespace infer
