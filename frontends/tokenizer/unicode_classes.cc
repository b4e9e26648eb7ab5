// SPDX-License-Identifier: Apache-2.0
#include "frontends/tokenizer/unicode_classes.h"

#include <utf8proc.h>

namespace infer {
namespace {

// Unicode's White_Space property, which is what \s means in the regex engines of Hugging Face's
// tokenizers. PCRE2's \s also includes U+180E (a format character since Unicode 6.3).
bool IsWhiteSpace(char32_t c) {
  return (c >= 0x09 && c <= 0x0D) || c == 0x20 || c == 0x85 || c == 0xA0 || c == 0x1680 ||
         (c >= 0x2000 && c <= 0x200A) || c == 0x2028 || c == 0x2029 || c == 0x202F || c == 0x205F ||
         c == 0x3000;
}

CharClass Classify(char32_t c) {
  if (c == '\r' || c == '\n') return CharClass::kNewline;
  if (IsWhiteSpace(c)) return CharClass::kSpace;
  switch (utf8proc_category(static_cast<utf8proc_int32_t>(c))) {
    case UTF8PROC_CATEGORY_LU:
    case UTF8PROC_CATEGORY_LL:
    case UTF8PROC_CATEGORY_LT:
    case UTF8PROC_CATEGORY_LM:
    case UTF8PROC_CATEGORY_LO:
      return CharClass::kLetter;
    case UTF8PROC_CATEGORY_ND:
    case UTF8PROC_CATEGORY_NL:
    case UTF8PROC_CATEGORY_NO:
      return CharClass::kNumber;
    default:
      return CharClass::kOther;
  }
}

constexpr char32_t kFirstSurrogate = 0xD800;
constexpr char32_t kLastSurrogate = 0xDFFF;
constexpr char32_t kFirstHangulSyllable = 0xAC00;
constexpr char32_t kLastHangulSyllable = 0xD7A3;

}  // namespace

const UnicodeClasses& UnicodeClasses::Get() {
  // Never destroyed: threads may still be encoding while the process exits.
  static const UnicodeClasses* const classes = new UnicodeClasses();
  return *classes;
}

UnicodeClasses::UnicodeClasses() {
  for (char32_t c = 0; c < kEntries; ++c) {
    if (c >= kFirstSurrogate && c <= kLastSurrogate) continue;  // never in valid UTF-8
    entries_[c] |= static_cast<uint8_t>(Classify(c));
    MarkNfcUnsafe(c);
  }
  // Vowel and trailing Jamo compose with preceding characters, by rule and not by table.
  for (char32_t c = 0x1161; c <= 0x1175; ++c) entries_[c] |= kNfcUnsafe;
  for (char32_t c = 0x11A8; c <= 0x11C2; ++c) entries_[c] |= kNfcUnsafe;
}

void UnicodeClasses::MarkNfcUnsafe(char32_t c) {
  auto code = static_cast<utf8proc_int32_t>(c);
  if (utf8proc_get_property(code)->combining_class != 0) entries_[c] |= kNfcUnsafe;
  if (c >= kFirstHangulSyllable && c <= kLastHangulSyllable) return;
  utf8proc_int32_t parts[8];  // the longest canonical decomposition has 4
  int last_boundclass = 0;
  utf8proc_ssize_t count =
      utf8proc_decompose_char(code, parts, 8, UTF8PROC_DECOMPOSE, &last_boundclass);
  if (count == 1 && parts[0] == code) return;
  for (utf8proc_ssize_t i = 1; i < count; ++i) {
    if (static_cast<char32_t>(parts[i]) < kEntries) entries_[parts[i]] |= kNfcUnsafe;
  }
  utf8proc_ssize_t composed = utf8proc_normalize_utf32(
      parts, count, static_cast<utf8proc_option_t>(UTF8PROC_COMPOSE | UTF8PROC_STABLE));
  if (composed != 1 || parts[0] != code) entries_[c] |= kNfcUnsafe;
}

}  // namespace infer
