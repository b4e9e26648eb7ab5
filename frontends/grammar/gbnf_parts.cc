// SPDX-License-Identifier: Apache-2.0
#include "frontends/grammar/gbnf_characters.h"

#include <string_view>

#include "frontends/grammar/regex.h"
#include "ir/base/status_macros.h"
#include "ir/base/strings.h"

namespace infer {
namespace {

constexpr size_t kMaxRanges = 2000;

absl::StatusOr<uint32_t> HexCodePoint(int digits, TextCursor* in) {
  ASSIGN_OR_RETURN(const uint32_t value, in->Hex(digits));
  if (value > kMaxCodePoint || (value >= 0xD800 && value < 0xE000)) {
    return in->Error("not a Unicode character");
  }
  return value;
}

}  // namespace

absl::StatusOr<uint32_t> ReadGbnfCharacter(TextCursor* in) {
  if (in->Done() || in->Peek() == '\n') {
    return in->Error("expected a character; write \\n for a new line");
  }
  if (!in->Take("\\")) return in->NextCodePoint();
  const char c = in->Peek();
  constexpr std::string_view kThemselves = "\\\"[]-^";
  if (!in->Done() && kThemselves.find(c) != std::string_view::npos) {
    in->Skip();
    return static_cast<uint32_t>(c);
  }
  if (in->Take("x")) return HexCodePoint(2, in);
  if (in->Take("u")) return HexCodePoint(4, in);
  if (in->Take("U")) return HexCodePoint(8, in);
  if (in->Take("n")) return '\n';
  if (in->Take("r")) return '\r';
  if (in->Take("t")) return '\t';
  return in->Error("unknown escape; known are \\n \\r \\t \\\\ \\\" \\[ \\] \\- \\^ \\x \\u \\U");
}

absl::StatusOr<CodePointSet> ReadGbnfClass(TextCursor* in) {
  const bool negated = in->Take("^");
  CodePointSet set;
  while (!in->Take("]")) {
    ASSIGN_OR_RETURN(const uint32_t low, ReadGbnfCharacter(in));
    uint32_t high = low;
    if (in->Peek() == '-' && in->rest().substr(1, 1) != "]") {
      in->Skip();
      ASSIGN_OR_RETURN(high, ReadGbnfCharacter(in));
      if (high < low) return in->Error("a range out of order");
    }
    set.Add(low, high);
    if (set.ranges().size() > kMaxRanges) {
      return in->Error(StrCat("a class with more than ", kMaxRanges, " ranges"));
    }
  }
  return negated ? set.Complement() : set;
}

}  // namespace infer
