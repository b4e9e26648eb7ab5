// SPDX-License-Identifier: Apache-2.0
#include "frontends/grammar/regex.h"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "frontends/grammar/regex_escape.h"
#include "frontends/grammar/text_cursor.h"
#include "frontends/tokenizer/utf8.h"
#include "ir/base/status_macros.h"
#include "ir/base/strings.h"

namespace infer {
namespace {

constexpr int kMaxRegexDepth = 64;
constexpr size_t kMaxRegexBytes = size_t{16} << 10;
constexpr uint32_t kMaxRegexCount = 1'000'000;

RegexNode ClassNode(CodePointSet set) {
  RegexNode node;
  node.kind = RegexNode::kClass;
  node.set = std::move(set);
  return node;
}

CodePointSet NotLineEnds() {
  CodePointSet ends = SingleCodePoint('\n');
  ends.Add('\r', '\r');
  ends.Add(0x2028, 0x2029);
  return ends.Complement();
}

absl::Status ErrorInPattern(std::string_view, size_t at, std::string_view what) {
  return absl::InvalidArgumentError(StrCat("byte ", at, " of the pattern: ", what));
}

class RegexParser {
 public:
  explicit RegexParser(std::string_view text) : in_(text, ErrorInPattern) {}

  absl::StatusOr<RegexNode> Parse() {
    if (in_.text().size() > kMaxRegexBytes) {
      return absl::InvalidArgumentError(StrCat("the pattern has ", in_.text().size(),
                                               " bytes, at most ", kMaxRegexBytes, " are allowed"));
    }
    ASSIGN_OR_RETURN(RegexNode node, Alternatives(0));
    if (!in_.Done()) return in_.Error("unmatched )");
    return node;
  }

 private:
  absl::StatusOr<RegexNode> Alternatives(int depth) {
    if (depth > kMaxRegexDepth)
      return in_.Error(StrCat("groups are nested deeper than ", kMaxRegexDepth));
    RegexNode alternatives;
    alternatives.kind = RegexNode::kAlternatives;
    do {
      ASSIGN_OR_RETURN(RegexNode sequence, Sequence(depth));
      alternatives.children.push_back(std::move(sequence));
    } while (in_.Take("|"));
    if (alternatives.children.size() > 1) return alternatives;
    RegexNode only = std::move(alternatives.children[0]);
    return only;
  }

  absl::StatusOr<RegexNode> Sequence(int depth) {
    RegexNode sequence;
    while (!in_.Done() && in_.Peek() != '|' && in_.Peek() != ')') {
      ASSIGN_OR_RETURN(RegexNode item, Item(depth));
      RETURN_IF_ERROR(Quantify(&item));
      sequence.children.push_back(std::move(item));
    }
    return sequence;
  }

  absl::StatusOr<RegexNode> Item(int depth) {
    RegexNode node;
    if (in_.Take("^")) {
      node.kind = RegexNode::kBegin;
      return node;
    }
    if (in_.Take("$")) {
      node.kind = RegexNode::kEnd;
      return node;
    }
    if (in_.Take(".")) return ClassNode(NotLineEnds());
    if (in_.Take("[")) return Class();
    if (in_.Take("\\")) {
      ASSIGN_OR_RETURN(CodePointSet set, ReadRegexEscape(/*in_class=*/false, &in_));
      return ClassNode(std::move(set));
    }
    if (in_.Take("(")) return Group(depth);
    if (in_.Peek() == '*' || in_.Peek() == '+' || in_.Peek() == '?')
      return in_.Error("nothing to repeat");
    ASSIGN_OR_RETURN(const uint32_t code_point, in_.NextCodePoint());
    return ClassNode(SingleCodePoint(code_point));
  }

  absl::StatusOr<RegexNode> Group(int depth) {
    if (in_.Take("?")) {
      if (in_.Take("<")) {
        if (in_.Peek() == '=' || in_.Peek() == '!')
          return in_.Error("look-behind is not supported");
        const size_t end = in_.rest().find('>');
        if (end == std::string_view::npos) return in_.Error("a group name without >");
        in_.Skip(end + 1);
      } else if (!in_.Take(":")) {
        return in_.Error("only (?:...) and (?<name>...) are supported, not look-ahead or flags");
      }
    }
    ASSIGN_OR_RETURN(RegexNode node, Alternatives(depth + 1));
    if (!in_.Take(")")) return in_.Error("a group without )");
    return node;
  }

  std::optional<uint32_t> Number() {
    if (in_.Peek() < '0' || in_.Peek() > '9') return std::nullopt;
    uint64_t value = 0;
    while (in_.Peek() >= '0' && in_.Peek() <= '9') {
      value = std::min<uint64_t>(value * 10 + static_cast<uint64_t>(in_.Peek() - '0'),
                                 kMaxRegexCount + 1);
      in_.Skip();
    }
    return static_cast<uint32_t>(value);
  }

  // Reads {m}, {m,} or {m,n}; leaves anything else alone, which then is a literal brace.
  bool Counts(uint32_t* min, uint32_t* max) {
    const size_t start = in_.at();
    if (!in_.Take("{")) return false;
    const std::optional<uint32_t> low = Number();
    *max = kNoLimit;
    if (low) {
      *min = *low;
      if (!in_.Take(",")) {
        *max = *low;
      } else if (std::optional<uint32_t> high = Number()) {
        *max = *high;
      }
      if (in_.Take("}")) return true;
    }
    in_.set_at(start);
    return false;
  }

  absl::Status Quantify(RegexNode* item) {
    uint32_t min = 0, max = kNoLimit;
    if (in_.Take("*")) {
    } else if (in_.Take("+")) {
      min = 1;
    } else if (in_.Take("?")) {
      max = 1;
    } else if (!Counts(&min, &max)) {
      return absl::OkStatus();
    }
    if (min > max) return in_.Error("a repetition {m,n} with m above n");
    if (min > kMaxRegexCount || (max != kNoLimit && max > kMaxRegexCount)) {
      return in_.Error(StrCat("a repetition above ", kMaxRegexCount));
    }
    if (item->kind == RegexNode::kBegin || item->kind == RegexNode::kEnd) {
      return in_.Error("^ and $ cannot be repeated");
    }
    in_.Take("?");  // a lazy repetition matches the same texts
    if (in_.Peek() == '*' || in_.Peek() == '+' || in_.Peek() == '?')
      return in_.Error("nothing to repeat");
    RegexNode repeat;
    repeat.kind = RegexNode::kRepeat;
    repeat.min = min;
    repeat.max = max;
    repeat.children.push_back(std::move(*item));
    *item = std::move(repeat);
    return absl::OkStatus();
  }

  absl::StatusOr<CodePointSet> ClassItem() {
    if (in_.Take("\\")) return ReadRegexEscape(/*in_class=*/true, &in_);
    ASSIGN_OR_RETURN(const uint32_t code_point, in_.NextCodePoint());
    return SingleCodePoint(code_point);
  }

  static std::optional<uint32_t> OnlyElement(const CodePointSet& set) {
    if (set.ranges().size() != 1 || set.ranges()[0].low != set.ranges()[0].high) {
      return std::nullopt;
    }
    return set.ranges()[0].low;
  }

  absl::StatusOr<RegexNode> Class() {
    const bool negated = in_.Take("^");
    std::vector<CodePointRange> ranges;
    while (!in_.Take("]")) {
      if (in_.Done()) return in_.Error("a class without ]");
      ASSIGN_OR_RETURN(CodePointSet item, ClassItem());
      const bool is_range =
          in_.Peek() == '-' && in_.rest().size() > 1 && in_.rest()[1] != ']' && OnlyElement(item);
      if (!is_range) {
        ranges.insert(ranges.end(), item.ranges().begin(), item.ranges().end());
        continue;
      }
      in_.Skip();
      ASSIGN_OR_RETURN(const CodePointSet end, ClassItem());
      if (!OnlyElement(end)) return in_.Error("a range that ends in a class");
      if (*OnlyElement(end) < *OnlyElement(item)) return in_.Error("a range out of order");
      ranges.push_back({*OnlyElement(item), *OnlyElement(end)});
    }
    CodePointSet set = CodePointSet::Of(std::move(ranges));
    return ClassNode(negated ? set.Complement() : std::move(set));
  }

  TextCursor in_;
};

}  // namespace

absl::StatusOr<RegexNode> ParseRegex(std::string_view text) {
  std::string storage;
  return RegexParser(ReplaceInvalidUtf8(text, &storage)).Parse();
}

}  // namespace infer
