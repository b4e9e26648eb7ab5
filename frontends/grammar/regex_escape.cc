// SPDX-License-Identifier: Apache-2.0
#include "frontends/grammar/regex_escape.h"

#include <string>

#include "frontends/grammar/regex.h"
#include "ir/base/status_macros.h"
#include "ir/base/strings.h"

namespace infer {
namespace {

CodePointSet Digits() {
  CodePointSet set;
  set.Add('0', '9');
  return set;
}

CodePointSet WordCharacters() {
  CodePointSet set = Digits();
  set.Add('a', 'z');
  set.Add('A', 'Z');
  set.Add('_', '_');
  return set;
}

CodePointSet Spaces() {
  CodePointSet set;
  for (const CodePointRange range :
       {CodePointRange{0x09, 0x0D}, CodePointRange{0x20, 0x20}, CodePointRange{0xA0, 0xA0},
        CodePointRange{0x1680, 0x1680}, CodePointRange{0x2000, 0x200A},
        CodePointRange{0x2028, 0x2029}, CodePointRange{0x202F, 0x202F},
        CodePointRange{0x205F, 0x205F}, CodePointRange{0x3000, 0x3000},
        CodePointRange{0xFEFF, 0xFEFF}}) {
    set.Add(range.low, range.high);
  }
  return set;
}

absl::StatusOr<uint32_t> UnicodeEscape(TextCursor* in) {
  if (in->Take("{")) {
    const size_t end = in->rest().find('}');
    if (end == std::string_view::npos || end == 0 || end > 6)
      return in->Error("\\u{...} is malformed");
    ASSIGN_OR_RETURN(const uint32_t value, in->Hex(static_cast<int>(end)));
    in->Skip();
    if (value > kMaxCodePoint) return in->Error("\\u{...} is above 10FFFF");
    return value;
  }
  ASSIGN_OR_RETURN(const uint32_t first, in->Hex(4));
  if (first < 0xD800 || first > 0xDBFF || !in->Take("\\u")) return first;
  ASSIGN_OR_RETURN(const uint32_t second, in->Hex(4));
  if (second < 0xDC00 || second > 0xDFFF) return in->Error("a surrogate without its pair");
  return 0x10000 + ((first - 0xD800) << 10) + (second - 0xDC00);
}

}  // namespace

CodePointSet SingleCodePoint(uint32_t code_point) {
  CodePointSet set;
  set.Add(code_point, code_point);
  return set;
}

absl::StatusOr<CodePointSet> ReadRegexEscape(bool in_class, TextCursor* in) {
  if (in->Done()) return in->Error("a backslash at the end");
  const char c = in->Peek();
  if (static_cast<unsigned char>(c) >= 0x80) {
    ASSIGN_OR_RETURN(const uint32_t code_point, in->NextCodePoint());
    return SingleCodePoint(code_point);
  }
  in->Skip();
  switch (c) {
    case 'd':
      return Digits();
    case 'D':
      return Digits().Complement();
    case 'w':
      return WordCharacters();
    case 'W':
      return WordCharacters().Complement();
    case 's':
      return Spaces();
    case 'S':
      return Spaces().Complement();
    case 't':
      return SingleCodePoint('\t');
    case 'n':
      return SingleCodePoint('\n');
    case 'r':
      return SingleCodePoint('\r');
    case 'f':
      return SingleCodePoint('\f');
    case 'v':
      return SingleCodePoint('\v');
    case '0':
      return SingleCodePoint(0);
    case 'x': {
      ASSIGN_OR_RETURN(const uint32_t value, in->Hex(2));
      return SingleCodePoint(value);
    }
    case 'u': {
      ASSIGN_OR_RETURN(const uint32_t value, UnicodeEscape(in));
      return SingleCodePoint(value);
    }
    case 'c': {
      const char letter = in->Peek();
      if (!((letter >= 'a' && letter <= 'z') || (letter >= 'A' && letter <= 'Z'))) {
        return in->Error("\\c needs a letter");
      }
      in->Skip();
      return SingleCodePoint(static_cast<uint32_t>(letter) % 32);
    }
    case 'b':
      if (in_class) return SingleCodePoint('\b');
      [[fallthrough]];
    default:
      break;
  }
  if ((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '1' && c <= '9')) {
    return in->Error(StrCat("\\", std::string(1, c), " is not supported"));
  }
  return SingleCodePoint(static_cast<uint32_t>(c));
}

}  // namespace infer
