// SPDX-License-Identifier: Apache-2.0
#include "frontends/grammar/gbnf.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/status/status.h"
#include "frontends/grammar/analyze.h"
#include "frontends/grammar/grammar_matcher.h"
#include "frontends/tokenizer/utf8.h"
#include "ir/base/status_macros.h"
#include "ir/base/strings.h"

namespace infer {
namespace {

constexpr size_t kMaxBytes = size_t{1} << 20;
constexpr size_t kMaxNodes = 50'000;
constexpr size_t kMaxRanges = 2000;
constexpr int kMaxDepth = 128;
constexpr uint32_t kMaxCount = 1'000'000;

bool IsNameByte(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' ||
         c == '_';
}

class GbnfParser {
 public:
  explicit GbnfParser(std::string_view text) : text_(text) {}

  absl::StatusOr<Grammar> Parse() {
    SkipSpace(true);
    while (!Done()) {
      RETURN_IF_ERROR(Rule());
      SkipSpace(true);
    }
    for (const auto& rule : rules_) {
      if (!rule.is_defined) {
        return ErrorAt(rule.mentioned_at, StrCat("rule ", rule.name, " is not defined"));
      }
    }
    const auto root = rule_ids_.find("root");
    if (root == rule_ids_.end()) {
      return absl::InvalidArgumentError("grammar: there is no rule root; add one: root ::= ...");
    }
    grammar_.root = rules_[root->second].node;
    if (!FinishGrammar(&grammar_)) {
      return absl::InvalidArgumentError(
          "grammar: no text matches rule root; a rule that always needs itself never ends");
    }
    if (const std::optional<GrammarNodeId> node = FindLeftRecursion(grammar_)) {
      const RuleInfo& rule = rules_[rule_of_node_[*node]];
      return ErrorAt(rule.mentioned_at,
                     StrCat("rule ", rule.name,
                            " begins with itself (left recursion); write it with * or +, or let "
                            "it end with itself"));
    }
    return std::move(grammar_);
  }

 private:
  struct RuleInfo {
    std::string name;
    GrammarNodeId node = 0;
    size_t mentioned_at = 0;
    bool is_defined = false;
  };

  absl::Status ErrorAt(size_t at, std::string_view what) const {
    const std::string_view before = text_.substr(0, at);
    const auto line = 1 + std::ranges::count(before, '\n');
    const size_t start = before.rfind('\n') + 1;  // npos + 1 is 0
    return absl::InvalidArgumentError(
        StrCat("grammar, line ", line, ", column ", at - start + 1, ": ", what));
  }
  absl::Status Error(std::string_view what) const { return ErrorAt(at_, what); }

  bool Done() const { return at_ >= text_.size(); }
  char Peek() const { return Done() ? '\0' : text_[at_]; }
  bool Take(std::string_view wanted) {
    if (!text_.substr(at_).starts_with(wanted)) return false;
    at_ += wanted.size();
    return true;
  }
  void SkipSpace(bool over_lines) {
    for (; !Done(); ++at_) {
      if (Peek() == '#') at_ = std::min(text_.find_first_of("\r\n", at_), text_.size());
      const char c = Peek();
      const bool is_line_end = c == '\n' || c == '\r';
      if (c != ' ' && c != '\t' && !(is_line_end && over_lines)) return;
    }
  }

  absl::StatusOr<GrammarNodeId> Add(GrammarNode node) {
    if (grammar_.nodes.size() >= kMaxNodes) {
      return Error(StrCat("the grammar has more than ", kMaxNodes, " parts"));
    }
    grammar_.nodes.push_back(std::move(node));
    rule_of_node_.push_back(current_rule_);
    return static_cast<GrammarNodeId>(grammar_.nodes.size() - 1);
  }

  absl::StatusOr<size_t> RuleNamed(std::string_view name, size_t at) {
    const auto [it, added] = rule_ids_.try_emplace(std::string(name), rules_.size());
    if (!added) return it->second;
    const size_t former = std::exchange(current_rule_, it->second);
    ASSIGN_OR_RETURN(const GrammarNodeId node, Add({.kind = GrammarNode::kAlternatives}));
    current_rule_ = former;
    rules_.push_back({std::string(name), node, at, false});
    return rules_.size() - 1;
  }

  std::string_view Name() {
    const size_t start = at_;
    while (!Done() && IsNameByte(Peek())) ++at_;
    return text_.substr(start, at_ - start);
  }

  absl::Status Rule() {
    const size_t start = at_;
    const std::string_view name = Name();
    if (name.empty()) return Error("expected the name of a rule");
    SkipSpace(false);
    if (!Take("::=")) return Error("expected ::= after the name of the rule");
    SkipSpace(true);
    ASSIGN_OR_RETURN(const size_t rule, RuleNamed(name, start));
    if (rules_[rule].is_defined) return ErrorAt(start, StrCat("rule ", name, " is defined twice"));
    rules_[rule].is_defined = true;
    rules_[rule].mentioned_at = start;
    current_rule_ = rule;
    ASSIGN_OR_RETURN(const GrammarNodeId body, Alternatives(0));
    grammar_.nodes[rules_[rule].node].children.push_back(body);
    if (!Done() && Peek() != '\n' && Peek() != '\r') {
      return Error(Peek() == ')' ? "unmatched )" : "expected the end of the rule");
    }
    return absl::OkStatus();
  }

  absl::StatusOr<GrammarNodeId> Alternatives(int depth) {
    if (depth > kMaxDepth) return Error(StrCat("groups are nested deeper than ", kMaxDepth));
    GrammarNode alternatives = {.kind = GrammarNode::kAlternatives};
    do {
      SkipSpace(depth > 0 || !alternatives.children.empty());
      ASSIGN_OR_RETURN(const GrammarNodeId sequence, Sequence(depth));
      alternatives.children.push_back(sequence);
    } while (Take("|"));
    if (alternatives.children.size() == 1) return alternatives.children[0];
    return Add(std::move(alternatives));
  }

  absl::StatusOr<GrammarNodeId> Sequence(int depth) {
    GrammarNode sequence = {.kind = GrammarNode::kSequence};
    while (!Done()) {
      const char c = Peek();
      if (c == '|' || c == ')' || c == '\n' || c == '\r') break;
      ASSIGN_OR_RETURN(GrammarNodeId item, Item(depth));
      ASSIGN_OR_RETURN(item, Quantified(item));
      sequence.children.push_back(item);
      SkipSpace(depth > 0);
    }
    if (sequence.children.size() == 1) return sequence.children[0];
    return Add(std::move(sequence));
  }

  absl::StatusOr<GrammarNodeId> Item(int depth) {
    if (Take("\"")) return Literal();
    if (Take("[")) return Class();
    if (Take(".")) {
      CodePointSet all = CodePointSet::All();
      return AddChar(std::move(all));
    }
    if (Take("(")) {
      ASSIGN_OR_RETURN(const GrammarNodeId group, Alternatives(depth + 1));
      SkipSpace(true);
      if (!Take(")")) return Error("expected )");
      return group;
    }
    const size_t start = at_;
    const std::string_view name = Name();
    if (name.empty()) return Error("expected a literal, a class, a group or the name of a rule");
    ASSIGN_OR_RETURN(const size_t rule, RuleNamed(name, start));
    return rules_[rule].node;
  }

  absl::StatusOr<uint32_t> Number() {
    if (Peek() < '0' || Peek() > '9') return Error("expected a number");
    uint64_t value = 0;
    for (; Peek() >= '0' && Peek() <= '9'; ++at_) {
      value = value * 10 + static_cast<uint64_t>(Peek() - '0');
      if (value > kMaxCount) return Error(StrCat("a repetition above ", kMaxCount));
    }
    return static_cast<uint32_t>(value);
  }

  absl::StatusOr<GrammarNodeId> Quantified(GrammarNodeId item) {
    for (;;) {
      GrammarNode repeat = {.kind = GrammarNode::kRepeat, .max = kNoLimit};
      if (Take("+")) {
        repeat.min = 1;
      } else if (Take("?")) {
        repeat.max = 1;
      } else if (Take("{")) {
        SkipSpace(false);
        ASSIGN_OR_RETURN(repeat.min, Number());
        SkipSpace(false);
        repeat.max = repeat.min;
        if (Take(",")) {
          SkipSpace(false);
          repeat.max = kNoLimit;
          if (Peek() != '}') {
            ASSIGN_OR_RETURN(repeat.max, Number());
          }
          SkipSpace(false);
        }
        if (!Take("}")) return Error("expected }");
        if (repeat.min > repeat.max) return Error("a repetition {m,n} with m above n");
      } else if (!Take("*")) {
        return item;
      }
      repeat.children = {item};
      ASSIGN_OR_RETURN(item, Add(std::move(repeat)));
    }
  }

  absl::StatusOr<uint32_t> Hex(int digits) {
    uint32_t value = 0;
    for (int i = 0; i < digits; ++i, ++at_) {
      const char c = Peek();
      if (c >= '0' && c <= '9') {
        value = value << 4 | static_cast<uint32_t>(c - '0');
      } else if (c >= 'a' && c <= 'f') {
        value = value << 4 | static_cast<uint32_t>(c - 'a' + 10);
      } else if (c >= 'A' && c <= 'F') {
        value = value << 4 | static_cast<uint32_t>(c - 'A' + 10);
      } else {
        return Error(StrCat("expected ", digits, " hex digits"));
      }
    }
    if (value > kMaxCodePoint || (value >= 0xD800 && value < 0xE000)) {
      return Error("not a Unicode character");
    }
    return value;
  }

  absl::StatusOr<uint32_t> Character() {
    if (Done() || Peek() == '\n') return Error("expected a character; write \\n for a new line");
    if (!Take("\\")) {
      const Utf8Scan scan = ScanUtf8(text_.substr(at_));
      if (scan.kind != Utf8Kind::kComplete) return Error("not valid UTF-8");
      const DecodedCodePoint decoded = DecodeValidUtf8(text_, at_);
      at_ += decoded.bytes;
      return decoded.value;
    }
    const char c = Peek();
    ++at_;
    switch (c) {
      case 'x':
        return Hex(2);
      case 'u':
        return Hex(4);
      case 'U':
        return Hex(8);
      case 'n':
        return '\n';
      case 'r':
        return '\r';
      case 't':
        return '\t';
      case '\\':
      case '"':
      case '[':
      case ']':
      case '-':
      case '^':
        return static_cast<uint32_t>(c);
      default:
        --at_;
        return Error("unknown escape; known are \\n \\r \\t \\\\ \\\" \\[ \\] \\x \\u \\U");
    }
  }

  absl::StatusOr<GrammarNodeId> Literal() {
    std::string bytes;
    while (!Take("\"")) {
      ASSIGN_OR_RETURN(const uint32_t code_point, Character());
      AppendUtf8(code_point, &bytes);
    }
    grammar_.literals.push_back(std::move(bytes));
    return Add({.kind = GrammarNode::kLiteral,
                .index = static_cast<uint32_t>(grammar_.literals.size() - 1)});
  }

  absl::StatusOr<GrammarNodeId> AddChar(CodePointSet set) {
    grammar_.sets.push_back(std::move(set));
    return Add(
        {.kind = GrammarNode::kChar, .index = static_cast<uint32_t>(grammar_.sets.size() - 1)});
  }

  absl::StatusOr<GrammarNodeId> Class() {
    const bool negated = Take("^");
    CodePointSet set;
    while (!Take("]")) {
      ASSIGN_OR_RETURN(const uint32_t low, Character());
      uint32_t high = low;
      if (Peek() == '-' && text_.substr(at_ + 1, 1) != "]") {
        ++at_;
        ASSIGN_OR_RETURN(high, Character());
        if (high < low) return Error("a range out of order");
      }
      set.Add(low, high);
      if (set.ranges().size() > kMaxRanges) {
        return Error(StrCat("a class with more than ", kMaxRanges, " ranges"));
      }
    }
    return AddChar(negated ? set.Complement() : std::move(set));
  }

  std::string_view text_;
  size_t at_ = 0;
  Grammar grammar_;
  size_t current_rule_ = 0;
  std::vector<size_t> rule_of_node_;
  std::vector<RuleInfo> rules_;
  absl::flat_hash_map<std::string, size_t> rule_ids_;
};

}  // namespace

absl::StatusOr<std::shared_ptr<const Grammar>> CompileGbnf(std::string_view text) {
  if (text.size() > kMaxBytes) {
    return absl::InvalidArgumentError(
        StrCat("grammar: ", text.size(), " bytes, at most ", kMaxBytes, " are allowed"));
  }
  ASSIGN_OR_RETURN(Grammar parsed, GbnfParser(text).Parse());
  auto grammar = std::make_shared<const Grammar>(std::move(parsed));
  const GrammarMatcher matcher(grammar);
  if (matcher.reached_limit()) {
    return absl::InvalidArgumentError(
        "grammar: too many rules and alternatives before the first character; simplify root");
  }
  return grammar;
}

}  // namespace infer
