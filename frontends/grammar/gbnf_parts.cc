// SPDX-License-Identifier: Apache-2.0
#include "frontends/grammar/gbnf_parts.h"

#include <algorithm>
#include <string_view>
#include <utility>
#include <vector>

#include "frontends/grammar/regex.h"
#include "ir/base/status_macros.h"
#include "ir/base/strings.h"

namespace infer {
namespace {

constexpr size_t kMaxRanges = 2000;
constexpr uint32_t kMaxCount = 1'000'000;

absl::StatusOr<uint32_t> HexCodePoint(int digits, TextCursor* in) {
  ASSIGN_OR_RETURN(const uint32_t value, in->Hex(digits));
  if (value > kMaxCodePoint || (value >= 0xD800 && value < 0xE000)) {
    return in->Error("not a Unicode character");
  }
  return value;
}

absl::StatusOr<uint32_t> ReadNumber(TextCursor* in) {
  if (in->Peek() < '0' || in->Peek() > '9') return in->Error("expected a number");
  uint64_t value = 0;
  for (; in->Peek() >= '0' && in->Peek() <= '9'; in->Skip()) {
    value = value * 10 + static_cast<uint64_t>(in->Peek() - '0');
    if (value > kMaxCount) return in->Error(StrCat("a repetition above ", kMaxCount));
  }
  return static_cast<uint32_t>(value);
}

// Reads a count in braces, from after {.
absl::StatusOr<GbnfCount> ReadBraces(TextCursor* in) {
  GbnfCount count;
  SkipGbnfSpace(in, false);
  ASSIGN_OR_RETURN(count.min, ReadNumber(in));
  SkipGbnfSpace(in, false);
  count.max = count.min;
  if (in->Take(",")) {
    SkipGbnfSpace(in, false);
    count.max = kNoLimit;
    if (in->Peek() != '}') {
      ASSIGN_OR_RETURN(count.max, ReadNumber(in));
    }
    SkipGbnfSpace(in, false);
  }
  if (!in->Take("}")) return in->Error("expected }");
  if (count.min > count.max) return in->Error("a repetition {m,n} with m above n");
  return count;
}

}  // namespace

void SkipGbnfSpace(TextCursor* in, bool over_lines) {
  for (; !in->Done(); in->Skip()) {
    if (in->Peek() == '#') {
      in->Skip(std::min(in->rest().find_first_of("\r\n"), in->rest().size()));
    }
    const char c = in->Peek();
    const bool is_line_end = c == '\n' || c == '\r';
    if (c != ' ' && c != '\t' && !(is_line_end && over_lines)) return;
  }
}

absl::StatusOr<std::optional<GbnfCount>> ReadGbnfCount(TextCursor* in) {
  if (in->Take("*")) return GbnfCount{0, kNoLimit};
  if (in->Take("+")) return GbnfCount{1, kNoLimit};
  if (in->Take("?")) return GbnfCount{0, 1};
  if (!in->Take("{")) return std::nullopt;
  ASSIGN_OR_RETURN(const GbnfCount count, ReadBraces(in));
  return count;
}

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
  std::vector<CodePointRange> ranges;
  while (!in->Take("]")) {
    ASSIGN_OR_RETURN(const uint32_t low, ReadGbnfCharacter(in));
    uint32_t high = low;
    if (in->Peek() == '-' && in->rest().substr(1, 1) != "]") {
      in->Skip();
      ASSIGN_OR_RETURN(high, ReadGbnfCharacter(in));
      if (high < low) return in->Error("a range out of order");
    }
    ranges.push_back({low, high});
  }
  CodePointSet set = CodePointSet::Of(std::move(ranges));
  if (set.ranges().size() > kMaxRanges) {
    return in->Error(StrCat("a class with more than ", kMaxRanges, " ranges"));
  }
  return negated ? set.Complement() : set;
}

}  // namespace infer
