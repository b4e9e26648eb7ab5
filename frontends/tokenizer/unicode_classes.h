// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace infer {

enum class CharClass : uint8_t {
  kOther,    // marks, punctuation, symbols, controls, unassigned
  kLetter,   // \p{L}
  kNumber,   // \p{N}
  kSpace,    // \s except CR and LF
  kNewline,  // CR or LF
};

// The properties of code points that the tokenizer needs, one byte per code point, built from
// utf8proc's data on first use. Immutable after that, so any thread may read it.
class UnicodeClasses {
 public:
  static const UnicodeClasses& Get();

  CharClass class_of(char32_t code_point) const {
    return static_cast<CharClass>(entry(code_point) & kClassMask);
  }

  // Returns true if the code point is its own NFC form, has combining class 0 and never composes
  // with anything before it: NFC may be computed separately on the two sides of its start.
  bool starts_nfc_segment(char32_t code_point) const {
    return (entry(code_point) & kNfcUnsafe) == 0;
  }

 private:
  static constexpr uint8_t kClassMask = 0x7;
  static constexpr uint8_t kNfcUnsafe = 0x8;
  // Planes 0 to 3. The planes above contain only tags, variation selectors and private use: all
  // kOther and inert.
  static constexpr char32_t kEntries = 0x40000;

  UnicodeClasses();
  void MarkNfcUnsafe(char32_t code_point);
  uint8_t entry(char32_t code_point) const {
    return code_point < kEntries ? entries_[code_point] : 0;
  }

  std::array<uint8_t, kEntries> entries_ = {};
};

}  // namespace infer
