// SPDX-License-Identifier: Apache-2.0
#include "frontends/grammar/regex.h"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "frontends/tokenizer/utf8.h"
#include "ir/base/status_macros.h"
#include "ir/base/strings.h"

namespace infer {
namespace {

constexpr int kMaxDepth = 64;
constexpr size_t kMaxBytes = size_t{16} << 10;
constexpr uint32_t kMaxCount = 1'000'000;

RegexNode ClassNode(CodePointSet set) {
  RegexNode node;
  node.kind = RegexNode::kClass;
  node.set = std::move(set);
  return node;
}

CodePointSet Single(uint32_t code_point) {
  CodePointSet set;
  set.Add(code_point, code_point);
  return set;
}

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

CodePointSet NotLineEnds() {
  CodePointSet ends = Single('\n');
  ends.Add('\r', '\r');
  ends.Add(0x2028, 0x2029);
  return ends.Complement();
}

class RegexParser {
 public:
  explicit RegexParser(std::string_view text) : text_(text) {}

  absl::StatusOr<RegexNode> Parse() {
    if (text_.size() > kMaxBytes) {
      return absl::InvalidArgumentError(
          StrCat("the pattern has ", text_.size(), " bytes, at most ", kMaxBytes, " are allowed"));
    }
    ASSIGN_OR_RETURN(RegexNode node, Alternatives(0));
    if (at_ < text_.size()) return Error("unmatched )");
    return node;
  }

 private:
  absl::Status Error(std::string_view what) const {
    return absl::InvalidArgumentError(StrCat("byte ", at_, " of the pattern: ", what));
  }
  bool Done() const { return at_ >= text_.size(); }
  char Peek() const { return Done() ? '\0' : text_[at_]; }
  bool Take(std::string_view wanted) {
    if (!text_.substr(at_).starts_with(wanted)) return false;
    at_ += wanted.size();
    return true;
  }
  uint32_t NextCodePoint() {
    const DecodedCodePoint decoded = DecodeValidUtf8(text_, at_);
    at_ += decoded.bytes;
    return decoded.value;
  }

  absl::StatusOr<RegexNode> Alternatives(int depth) {
    if (depth > kMaxDepth) return Error(StrCat("groups are nested deeper than ", kMaxDepth));
    RegexNode alternatives;
    alternatives.kind = RegexNode::kAlternatives;
    do {
      ASSIGN_OR_RETURN(RegexNode sequence, Sequence(depth));
      alternatives.children.push_back(std::move(sequence));
    } while (Take("|"));
    if (alternatives.children.size() > 1) return alternatives;
    RegexNode only = std::move(alternatives.children[0]);
    return only;
  }

  absl::StatusOr<RegexNode> Sequence(int depth) {
    RegexNode sequence;
    while (!Done() && Peek() != '|' && Peek() != ')') {
      ASSIGN_OR_RETURN(RegexNode item, Item(depth));
      RETURN_IF_ERROR(Quantify(&item));
      sequence.children.push_back(std::move(item));
    }
    return sequence;
  }

  absl::StatusOr<RegexNode> Item(int depth) {
    RegexNode node;
    if (Take("^")) {
      node.kind = RegexNode::kBegin;
      return node;
    }
    if (Take("$")) {
      node.kind = RegexNode::kEnd;
      return node;
    }
    if (Take(".")) return ClassNode(NotLineEnds());
    if (Take("[")) return Class();
    if (Take("\\")) {
      ASSIGN_OR_RETURN(CodePointSet set, Escape(false));
      return ClassNode(std::move(set));
    }
    if (Take("(")) return Group(depth);
    if (Peek() == '*' || Peek() == '+' || Peek() == '?') return Error("nothing to repeat");
    return ClassNode(Single(NextCodePoint()));
  }

  absl::StatusOr<RegexNode> Group(int depth) {
    if (Take("?")) {
      if (Take("<")) {
        if (Peek() == '=' || Peek() == '!') return Error("look-behind is not supported");
        const size_t end = text_.find('>', at_);
        if (end == text_.npos) return Error("a group name without >");
        at_ = end + 1;
      } else if (!Take(":")) {
        return Error("only (?:...) and (?<name>...) are supported, not look-ahead or flags");
      }
    }
    ASSIGN_OR_RETURN(RegexNode node, Alternatives(depth + 1));
    if (!Take(")")) return Error("a group without )");
    return node;
  }

  std::optional<uint32_t> Number() {
    if (Peek() < '0' || Peek() > '9') return std::nullopt;
    uint64_t value = 0;
    while (Peek() >= '0' && Peek() <= '9') {
      value = std::min<uint64_t>(value * 10 + static_cast<uint64_t>(Peek() - '0'), kMaxCount + 1);
      ++at_;
    }
    return static_cast<uint32_t>(value);
  }

  // Reads {m}, {m,} or {m,n}; leaves anything else alone, which then is a literal brace.
  bool Counts(uint32_t* min, uint32_t* max) {
    const size_t start = at_;
    if (!Take("{")) return false;
    const std::optional<uint32_t> low = Number();
    *max = kNoLimit;
    if (low) {
      *min = *low;
      if (!Take(",")) {
        *max = *low;
      } else if (std::optional<uint32_t> high = Number()) {
        *max = *high;
      }
      if (Take("}")) return true;
    }
    at_ = start;
    return false;
  }

  absl::Status Quantify(RegexNode* item) {
    uint32_t min = 0, max = kNoLimit;
    if (Take("*")) {
    } else if (Take("+")) {
      min = 1;
    } else if (Take("?")) {
      max = 1;
    } else if (!Counts(&min, &max)) {
      return absl::OkStatus();
    }
    if (min > max) return Error("a repetition {m,n} with m above n");
    if (min > kMaxCount || (max != kNoLimit && max > kMaxCount)) {
      return Error(StrCat("a repetition above ", kMaxCount));
    }
    if (item->kind == RegexNode::kBegin || item->kind == RegexNode::kEnd) {
      return Error("^ and $ cannot be repeated");
    }
    Take("?");  // a lazy repetition matches the same texts
    if (Peek() == '*' || Peek() == '+' || Peek() == '?') return Error("nothing to repeat");
    RegexNode repeat;
    repeat.kind = RegexNode::kRepeat;
    repeat.min = min;
    repeat.max = max;
    repeat.children.push_back(std::move(*item));
    *item = std::move(repeat);
    return absl::OkStatus();
  }

  absl::StatusOr<uint32_t> Hex(int digits) {
    uint32_t value = 0;
    for (int i = 0; i < digits; ++i, ++at_) {
      const char c = Peek();
      const size_t digit = std::string_view("0123456789abcdef")
                               .find(static_cast<char>(c >= 'A' && c <= 'F' ? c - 'A' + 'a' : c));
      if (c == '\0' || digit == std::string_view::npos) return Error("expected a hex digit");
      value = value << 4 | static_cast<uint32_t>(digit);
    }
    return value;
  }

  absl::StatusOr<uint32_t> UnicodeEscape() {
    if (Take("{")) {
      const size_t end = text_.find('}', at_);
      if (end == text_.npos || end == at_ || end - at_ > 6) return Error("\\u{...} is malformed");
      ASSIGN_OR_RETURN(const uint32_t value, Hex(static_cast<int>(end - at_)));
      ++at_;
      if (value > kMaxCodePoint) return Error("\\u{...} is above 10FFFF");
      return value;
    }
    ASSIGN_OR_RETURN(const uint32_t first, Hex(4));
    if (first < 0xD800 || first > 0xDBFF || !Take("\\u")) return first;
    ASSIGN_OR_RETURN(const uint32_t second, Hex(4));
    if (second < 0xDC00 || second > 0xDFFF) return Error("a surrogate without its pair");
    return 0x10000 + ((first - 0xD800) << 10) + (second - 0xDC00);
  }

  // What follows a backslash.
  absl::StatusOr<CodePointSet> Escape(bool in_class) {
    if (Done()) return Error("a backslash at the end");
    const char c = Peek();
    if (static_cast<unsigned char>(c) >= 0x80) return Single(NextCodePoint());
    ++at_;
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
        return Single('\t');
      case 'n':
        return Single('\n');
      case 'r':
        return Single('\r');
      case 'f':
        return Single('\f');
      case 'v':
        return Single('\v');
      case '0':
        return Single(0);
      case 'x': {
        ASSIGN_OR_RETURN(const uint32_t value, Hex(2));
        return Single(value);
      }
      case 'u': {
        ASSIGN_OR_RETURN(const uint32_t value, UnicodeEscape());
        return Single(value);
      }
      case 'c': {
        const char letter = Peek();
        if (!((letter >= 'a' && letter <= 'z') || (letter >= 'A' && letter <= 'Z'))) {
          return Error("\\c needs a letter");
        }
        ++at_;
        return Single(static_cast<uint32_t>(letter) % 32);
      }
      case 'b':
        if (in_class) return Single('\b');
        [[fallthrough]];
      default:
        break;
    }
    if ((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '1' && c <= '9')) {
      return Error(StrCat("\\", std::string(1, c), " is not supported"));
    }
    return Single(static_cast<uint32_t>(c));
  }

  absl::StatusOr<CodePointSet> ClassItem() {
    if (Take("\\")) return Escape(true);
    return Single(NextCodePoint());
  }

  static std::optional<uint32_t> OnlyElement(const CodePointSet& set) {
    if (set.ranges().size() != 1 || set.ranges()[0].low != set.ranges()[0].high) {
      return std::nullopt;
    }
    return set.ranges()[0].low;
  }

  absl::StatusOr<RegexNode> Class() {
    const bool negated = Take("^");
    CodePointSet set;
    while (!Take("]")) {
      if (Done()) return Error("a class without ]");
      ASSIGN_OR_RETURN(CodePointSet item, ClassItem());
      const bool is_range =
          Peek() == '-' && at_ + 1 < text_.size() && text_[at_ + 1] != ']' && OnlyElement(item);
      if (!is_range) {
        set.Add(item);
        continue;
      }
      ++at_;
      ASSIGN_OR_RETURN(const CodePointSet end, ClassItem());
      if (!OnlyElement(end)) return Error("a range that ends in a class");
      if (*OnlyElement(end) < *OnlyElement(item)) return Error("a range out of order");
      set.Add(*OnlyElement(item), *OnlyElement(end));
    }
    return ClassNode(negated ? set.Complement() : std::move(set));
  }

  std::string_view text_;
  size_t at_ = 0;
};

}  // namespace

absl::StatusOr<RegexNode> ParseRegex(std::string_view text) {
  std::string storage;
  return RegexParser(ReplaceInvalidUtf8(text, &storage)).Parse();
}

}  // namespace infer
