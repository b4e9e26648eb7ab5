// SPDX-License-Identifier: Apache-2.0
#include "frontends/chat/unicode_text.h"

#include <utf8proc.h>

#include <algorithm>

#include "frontends/tokenizer/utf8.h"

namespace infer::chat {
namespace {

bool IsContinuation(char c) { return (static_cast<uint8_t>(c) & 0xC0) == 0x80; }

utf8proc_category_t CategoryOf(char32_t c) {
  return utf8proc_category(static_cast<utf8proc_int32_t>(c));
}

// Characters whose upper case has several characters; utf8proc maps one to one.
struct LongUpper {
  char32_t c;
  std::string_view upper;
  std::string_view title;
};
constexpr LongUpper kLongUpper[] = {
    {0xDF, "SS", "Ss"},     {0xFB00, "FF", "Ff"},   {0xFB01, "FI", "Fi"}, {0xFB02, "FL", "Fl"},
    {0xFB03, "FFI", "Ffi"}, {0xFB04, "FFL", "Ffl"}, {0xFB05, "ST", "St"}, {0xFB06, "ST", "St"}};

const LongUpper* FindLongUpper(char32_t c) {
  if (c != 0xDF && c < 0xFB00) return nullptr;
  auto it = std::ranges::find(kLongUpper, c, &LongUpper::c);
  return it == std::end(kLongUpper) ? nullptr : it;
}

bool IsOneOf(std::string_view characters, std::string_view c) {
  for (size_t pos = 0; pos < characters.size();) {
    const size_t bytes = DecodeValidUtf8(characters, pos).bytes;
    if (characters.substr(pos, bytes) == c) return true;
    pos += bytes;
  }
  return false;
}

}  // namespace

size_t CountCharacters(std::string_view text) {
  return text.size() - static_cast<size_t>(std::ranges::count_if(text, IsContinuation));
}

size_t ByteOfCharacter(std::string_view text, size_t index) {
  const size_t ascii = AsciiPrefixBytes(text);
  if (index <= ascii) return index;
  size_t pos = ascii;
  for (size_t left = index - ascii; left > 0 && pos < text.size(); --left) {
    pos += DecodeValidUtf8(text, pos).bytes;
  }
  return pos;
}

bool IsSpace(char32_t c) {
  if (c < 0x80) return c == ' ' || (c >= 0x09 && c <= 0x0D) || (c >= 0x1C && c <= 0x1F);
  return c == 0x85 || c == 0xA0 || c == 0x1680 || (c >= 0x2000 && c <= 0x200A) || c == 0x2028 ||
         c == 0x2029 || c == 0x202F || c == 0x205F || c == 0x3000;
}

bool IsLineEnd(char32_t c) {
  return (c >= 0x0A && c <= 0x0D) || (c >= 0x1C && c <= 0x1E) || c == 0x85 || c == 0x2028 ||
         c == 0x2029;
}

bool IsPrintable(char32_t c) {
  if (c < 0x7F) return c >= 0x20;
  switch (CategoryOf(c)) {
    case UTF8PROC_CATEGORY_CN:
    case UTF8PROC_CATEGORY_CC:
    case UTF8PROC_CATEGORY_CF:
    case UTF8PROC_CATEGORY_CS:
    case UTF8PROC_CATEGORY_CO:
    case UTF8PROC_CATEGORY_ZS:
    case UTF8PROC_CATEGORY_ZL:
    case UTF8PROC_CATEGORY_ZP:
      return false;
    default:
      return true;
  }
}

bool IsLetter(char32_t c) {
  const utf8proc_category_t category = CategoryOf(c);
  return category >= UTF8PROC_CATEGORY_LU && category <= UTF8PROC_CATEGORY_LO;
}

bool IsDigit(char32_t c) { return CategoryOf(c) == UTF8PROC_CATEGORY_ND; }
bool IsUpper(char32_t c) { return utf8proc_isupper(static_cast<utf8proc_int32_t>(c)) != 0; }
bool IsLower(char32_t c) { return utf8proc_islower(static_cast<utf8proc_int32_t>(c)) != 0; }

bool AllCharacters(std::string_view text, bool (*is)(char32_t)) {
  for (size_t pos = 0; pos < text.size();) {
    const DecodedCodePoint c = DecodeValidUtf8(text, pos);
    if (!is(c.value)) return false;
    pos += c.bytes;
  }
  return true;
}

bool AllInCase(std::string_view text, bool (*is_wanted)(char32_t), bool (*is_other)(char32_t)) {
  bool found = false;
  for (size_t pos = 0; pos < text.size();) {
    const DecodedCodePoint c = DecodeValidUtf8(text, pos);
    if (is_other(c.value)) return false;
    found = found || is_wanted(c.value);
    pos += c.bytes;
  }
  return found;
}

void AppendUpper(char32_t c, std::string* out) {
  if (const LongUpper* found = FindLongUpper(c)) {
    out->append(found->upper);
  } else {
    AppendUtf8(static_cast<char32_t>(utf8proc_toupper(static_cast<utf8proc_int32_t>(c))), out);
  }
}

void AppendTitle(char32_t c, std::string* out) {
  if (const LongUpper* found = FindLongUpper(c)) {
    out->append(found->title);
  } else {
    AppendUtf8(static_cast<char32_t>(utf8proc_totitle(static_cast<utf8proc_int32_t>(c))), out);
  }
}

void AppendLower(char32_t c, std::string* out) {
  if (c == 0x130) {  // capital I with dot: i and a combining dot
    out->append("i\xCC\x87");
  } else {
    AppendUtf8(static_cast<char32_t>(utf8proc_tolower(static_cast<utf8proc_int32_t>(c))), out);
  }
}

ByteRange Strip(std::string_view text, const std::string_view* characters, bool left, bool right) {
  auto removed = [&](size_t begin, size_t end) {
    std::string_view c = text.substr(begin, end - begin);
    return characters == nullptr ? IsSpace(DecodeValidUtf8(text, begin).value)
                                 : IsOneOf(*characters, c);
  };
  size_t begin = 0;
  size_t end = text.size();
  while (left && begin < end) {
    const size_t next = begin + DecodeValidUtf8(text, begin).bytes;
    if (!removed(begin, next)) break;
    begin = next;
  }
  while (right && begin < end) {
    size_t previous = end - 1;
    while (previous > begin && IsContinuation(text[previous])) --previous;
    if (!removed(previous, end)) break;
    end = previous;
  }
  return {begin, end};
}

}  // namespace infer::chat
