// SPDX-License-Identifier: Apache-2.0
#include "passes/node_facts.h"

#include <algorithm>
#include <charconv>
#include <utility>

#include "ir/strings.h"
#include "ir/verifier.h"

namespace infer {
namespace {

bool Holds(const Term& term, double value) {
  return term.cmp == ">=" ? value >= term.threshold : value <= term.threshold;
}

// Tests one pair of bounds and notes what it saw.
void Test(std::string_view field, const Bounds& bounds, const SymbolicCount& count,
          const SymbolRanges& symbols, RuleMatch* match) {
  double lo = count.At(AtTokens(symbols, symbols[Symbol::kT].min));
  double hi = count.At(AtTokens(symbols, symbols[Symbol::kT].max));
  auto test = [&](double threshold, bool at_least) {
    Term term{std::string(field), at_least ? ">=" : "<=", threshold, lo, hi};
    if (Splits(term) && !match->splits) match->splits = term;
    if (!Holds(term, lo) && !Holds(term, hi)) match->matches = false;
    match->terms.push_back(std::move(term));
  };
  if (bounds.min) test(static_cast<double>(*bounds.min), true);
  if (bounds.max) test(static_cast<double>(*bounds.max), false);
}

// Whether some T of the range satisfies all terms. Those with >= hold from some T on, those with <=
// up to some T.
bool HoldTogether(const std::vector<Term>& terms, const std::vector<const SymbolicCount*>& counts,
                  const SymbolRanges& symbols) {
  Range tokens = symbols[Symbol::kT];
  for (size_t i = 0; i < terms.size(); ++i) {
    if (!Splits(terms[i])) continue;
    int64_t change = FirstChange(symbols[Symbol::kT], [&](int64_t at) {
      return Holds(terms[i], counts[i]->At(AtTokens(symbols, at)));
    });
    if (Holds(terms[i], terms[i].lo)) {
      tokens.max = std::min(tokens.max, change - 1);
    } else {
      tokens.min = std::max(tokens.min, change);
    }
  }
  return tokens.min <= tokens.max;
}

}  // namespace

int64_t FirstChange(const Range& tokens, const std::function<bool(int64_t)>& holds) {
  int64_t before = tokens.min, after = tokens.max;
  const bool at_first = holds(before);
  if (holds(after) == at_first) return tokens.max + 1;
  while (after - before > 1) {
    int64_t middle = before + (after - before) / 2;
    (holds(middle) == at_first ? before : after) = middle;
  }
  return after;
}

std::optional<int64_t> LayerOf(std::string_view scope) {
  constexpr std::string_view kPrefix = "layer.";
  if (!scope.starts_with(kPrefix)) return std::nullopt;
  std::string_view number = scope.substr(kPrefix.size());
  number = number.substr(0, number.find('/'));
  uint32_t layer = 0;
  const char* end = number.data() + number.size();
  auto [stop, error] = std::from_chars(number.data(), end, layer);
  if (error != std::errc() || stop != end) return std::nullopt;
  return layer;
}

// The bytes of all weights, and the types of the matrices. A norm's vector tells something only
// where there is no matrix: f32 beside a q8_0 matrix would keep the rule of q8_0 from matching.
void AddWeights(const Node& node, NodeFacts* facts) {
  std::vector<DType> vector_types;
  for (Value input : node.inputs()) {
    if (!input.node->op().traits.weight) continue;
    facts->weight_bytes += CountBytes(input.type());
    (input.type().rank() >= 2 ? facts->weight_types : vector_types)
        .push_back(input.type().tensor.dtype);
  }
  if (facts->weight_types.empty()) facts->weight_types = std::move(vector_types);
}

SymbolValues AtTokens(const SymbolRanges& symbols, int64_t tokens) {
  return {tokens, std::min(symbols[Symbol::kR].max, tokens), symbols[Symbol::kS].max};
}

bool Splits(const Term& term) { return Holds(term, term.lo) != Holds(term, term.hi); }

NodeFacts FactsOf(const Node& node) {
  NodeFacts facts;
  facts.op = node.op().name;
  facts.scope = node.scope();
  facts.layer = LayerOf(node.scope());
  facts.tokens = {.ct = 1};
  facts.flops = CostOf(node).flops;
  AddWeights(node, &facts);
  for (const ValueType& type : node.InputTypes()) {
    if (!type.is_tensor() || type.rank() == 0) continue;
    facts.inner = CountElements({type.dim(-1)}).value_or(SymbolicCount{});
    break;
  }
  for (const ValueType& type : node.ResultTypes()) {
    if (!type.is_tensor() || type.rank() == 0) continue;
    Shape row = type.tensor.shape;
    row.set_dim(0, 1);
    facts.columns += CountElements(row).value_or(SymbolicCount{});
  }
  if (const ValueType* type = RowsType(node)) {
    facts.rows = CountElements({type->dim(0)}).value_or(SymbolicCount{});
    facts.elements = CountElements(type->tensor.shape).value_or(SymbolicCount{});
  }
  return facts;
}

RuleMatch Match(const Rule& rule, const NodeFacts& facts, const SymbolRanges& symbols) {
  RuleMatch match{.matches = true, .splits = std::nullopt, .terms = {}};
  if (!rule.op.empty() && rule.op != facts.op) match.matches = false;
  if (!rule.scope.empty() && !GlobMatch(rule.scope, facts.scope)) match.matches = false;
  if (!rule.weight_type.empty()) {
    auto same = [&](DType type) { return Name(type) == rule.weight_type; };
    match.matches = match.matches && !facts.weight_types.empty() &&
                    std::all_of(facts.weight_types.begin(), facts.weight_types.end(), same);
  }
  bool bounds_layer = rule.layer.min || rule.layer.max;
  if (bounds_layer && !facts.layer) match.matches = false;
  if (!match.matches) return match;
  const SymbolicCount layer{.c0 = static_cast<double>(facts.layer.value_or(0))};
  std::vector<const SymbolicCount*> counts;  // of the terms
  auto test = [&](std::string_view field, const Bounds& bounds, const SymbolicCount& count) {
    Test(field, bounds, count, symbols, &match);
    counts.resize(match.terms.size(), &count);
  };
  test("layer", rule.layer, layer);
  test("tokens", rule.tokens, facts.tokens);
  test("rows", rule.rows, facts.rows);
  test("columns", rule.columns, facts.columns);
  test("inner", rule.inner, facts.inner);
  test("elements", rule.elements, facts.elements);
  test("flops", rule.flops, facts.flops);
  test("weight_bytes", rule.weight_bytes, facts.weight_bytes);
  if (match.splits && !HoldTogether(match.terms, counts, symbols)) match.matches = false;
  if (!match.matches) match.splits.reset();
  return match;
}

absl::StatusOr<RuleChoice> ChooseRule(const Policy& policy, const Node& node,
                                      const SymbolRanges& symbols) {
  NodeFacts facts = FactsOf(node);
  for (const Rule& rule : policy.rules) {
    RuleMatch match = Match(rule, facts, symbols);
    if (match.splits) {
      return absl::InvalidArgumentError(StrCat(
          "policy ", policy.name, ", rule ", rule.name, ": node ", DescribeNode(node), " has ",
          match.splits->field, " from ", match.splits->lo, " to ", match.splits->hi, ", and ",
          match.splits->field, " ", match.splits->cmp, " ", match.splits->threshold,
          " holds for a part of that only; cut the range of T there"));
    }
    if (match.matches) return RuleChoice{&rule, std::move(match.terms)};
  }
  return absl::InvalidArgumentError(StrCat("policy ", policy.name, " has no rule for node ",
                                           DescribeNode(node),
                                           "; end it with a rule without predicates"));
}

bool GlobMatch(std::string_view pattern, std::string_view text) {
  size_t p = 0, t = 0, star = std::string_view::npos, mark = 0;
  while (t < text.size()) {
    if (p < pattern.size() && (pattern[p] == '?' || pattern[p] == text[t])) {
      ++p;
      ++t;
    } else if (p < pattern.size() && pattern[p] == '*') {
      star = p++;
      mark = t;
    } else if (star != std::string_view::npos) {
      p = star + 1;
      t = ++mark;
    } else {
      return false;
    }
  }
  while (p < pattern.size() && pattern[p] == '*') ++p;
  return p == pattern.size();
}

}  // namespace infer
