// SPDX-License-Identifier: Apache-2.0
#include "frontends/grammar/gbnf.h"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/status/status.h"
#include "frontends/grammar/analyze.h"
#include "frontends/grammar/gbnf_parts.h"
#include "frontends/grammar/grammar_matcher.h"
#include "frontends/grammar/text_cursor.h"
#include "frontends/tokenizer/utf8.h"
#include "ir/base/status_macros.h"
#include "ir/base/strings.h"

namespace infer {
namespace {

constexpr size_t kMaxGbnfBytes = size_t{1} << 20;
constexpr size_t kMaxGbnfNodes = 50'000;
constexpr int kMaxGroupDepth = 128;

bool IsNameByte(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' ||
         c == '_';
}

absl::Status ErrorInGrammar(std::string_view text, size_t at, std::string_view what) {
  const std::string_view before = text.substr(0, at);
  const auto line = 1 + std::ranges::count(before, '\n');
  const size_t start = before.rfind('\n') + 1;  // npos + 1 is 0
  return absl::InvalidArgumentError(
      StrCat("grammar, line ", line, ", column ", at - start + 1, ": ", what));
}

class GbnfParser {
 public:
  explicit GbnfParser(std::string_view text) : in_(text, ErrorInGrammar) {}

  absl::StatusOr<Grammar> Parse() {
    SkipGbnfSpace(&in_, true);
    while (!in_.Done()) {
      RETURN_IF_ERROR(Rule());
      SkipGbnfSpace(&in_, true);
    }
    for (const auto& rule : rules_) {
      if (!rule.is_defined) {
        return in_.ErrorAt(rule.mentioned_at, StrCat("rule ", rule.name, " is not defined"));
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
      return in_.ErrorAt(
          rule.mentioned_at,
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

  absl::StatusOr<GrammarNodeId> Add(GrammarNode node) {
    if (grammar_.nodes.size() >= kMaxGbnfNodes) {
      return in_.Error(StrCat("the grammar has more than ", kMaxGbnfNodes, " parts"));
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
    const size_t start = in_.at();
    while (!in_.Done() && IsNameByte(in_.Peek())) in_.Skip();
    return in_.text().substr(start, in_.at() - start);
  }

  absl::Status Rule() {
    const size_t start = in_.at();
    const std::string_view name = Name();
    if (name.empty()) return in_.Error("expected the name of a rule");
    SkipGbnfSpace(&in_, false);
    if (!in_.Take("::=")) return in_.Error("expected ::= after the name of the rule");
    SkipGbnfSpace(&in_, true);
    ASSIGN_OR_RETURN(const size_t rule, RuleNamed(name, start));
    if (rules_[rule].is_defined)
      return in_.ErrorAt(start, StrCat("rule ", name, " is defined twice"));
    rules_[rule].is_defined = true;
    rules_[rule].mentioned_at = start;
    current_rule_ = rule;
    ASSIGN_OR_RETURN(const GrammarNodeId body, Alternatives(0));
    grammar_.nodes[rules_[rule].node].children.push_back(body);
    if (!in_.Done() && in_.Peek() != '\n' && in_.Peek() != '\r') {
      return in_.Error(in_.Peek() == ')' ? "unmatched )" : "expected the end of the rule");
    }
    return absl::OkStatus();
  }

  absl::StatusOr<GrammarNodeId> Alternatives(int depth) {
    if (depth > kMaxGroupDepth)
      return in_.Error(StrCat("groups are nested deeper than ", kMaxGroupDepth));
    GrammarNode alternatives = {.kind = GrammarNode::kAlternatives};
    do {
      SkipGbnfSpace(&in_, depth > 0 || !alternatives.children.empty());
      ASSIGN_OR_RETURN(const GrammarNodeId sequence, Sequence(depth));
      alternatives.children.push_back(sequence);
    } while (in_.Take("|"));
    if (alternatives.children.size() == 1) return alternatives.children[0];
    return Add(std::move(alternatives));
  }

  absl::StatusOr<GrammarNodeId> Sequence(int depth) {
    GrammarNode sequence = {.kind = GrammarNode::kSequence};
    while (!in_.Done()) {
      const char c = in_.Peek();
      if (c == '|' || c == ')' || c == '\n' || c == '\r') break;
      ASSIGN_OR_RETURN(GrammarNodeId item, Item(depth));
      ASSIGN_OR_RETURN(item, Quantified(item));
      sequence.children.push_back(item);
      SkipGbnfSpace(&in_, depth > 0);
    }
    if (sequence.children.size() == 1) return sequence.children[0];
    return Add(std::move(sequence));
  }

  absl::StatusOr<GrammarNodeId> Item(int depth) {
    if (in_.Take("\"")) return Literal();
    if (in_.Take("[")) {
      ASSIGN_OR_RETURN(CodePointSet set, ReadGbnfClass(&in_));
      return AddChar(std::move(set));
    }
    if (in_.Take(".")) return AddChar(CodePointSet::All());
    if (in_.Take("(")) {
      ASSIGN_OR_RETURN(const GrammarNodeId group, Alternatives(depth + 1));
      SkipGbnfSpace(&in_, true);
      if (!in_.Take(")")) return in_.Error("expected )");
      return group;
    }
    const size_t start = in_.at();
    const std::string_view name = Name();
    if (name.empty())
      return in_.Error("expected a literal, a class, a group or the name of a rule");
    ASSIGN_OR_RETURN(const size_t rule, RuleNamed(name, start));
    return rules_[rule].node;
  }

  absl::StatusOr<GrammarNodeId> Quantified(GrammarNodeId item) {
    for (;;) {
      ASSIGN_OR_RETURN(const std::optional<GbnfCount> count, ReadGbnfCount(&in_));
      if (!count) return item;
      ASSIGN_OR_RETURN(item, Add({.kind = GrammarNode::kRepeat,
                                  .min = count->min,
                                  .max = count->max,
                                  .children = {item}}));
    }
  }

  absl::StatusOr<GrammarNodeId> Literal() {
    std::string bytes;
    while (!in_.Take("\"")) {
      ASSIGN_OR_RETURN(const uint32_t code_point, ReadGbnfCharacter(&in_));
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

  TextCursor in_;
  Grammar grammar_;
  size_t current_rule_ = 0;
  std::vector<size_t> rule_of_node_;
  std::vector<RuleInfo> rules_;
  absl::flat_hash_map<std::string, size_t> rule_ids_;
};

}  // namespace

absl::StatusOr<std::shared_ptr<const Grammar>> CompileGbnf(std::string_view text) {
  if (text.size() > kMaxGbnfBytes) {
    return absl::InvalidArgumentError(
        StrCat("grammar: ", text.size(), " bytes, at most ", kMaxGbnfBytes, " are allowed"));
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
