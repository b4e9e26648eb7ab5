// SPDX-License-Identifier: Apache-2.0
#include "passes/node_facts.h"

#include <algorithm>
#include <charconv>
#include <iterator>
#include <utility>

#include "ir/base/strings.h"
#include "ir/graph/node_name.h"
#include "ir/graph/placement.h"
#include "ir/ops/attributes.h"
#include "ir/verify/verifier.h"

namespace infer {
namespace {

// The counts of NodeFacts in the order of kBoundsFields.
constexpr SymbolicCount NodeFacts::* kCounts[] = {
    &NodeFacts::layer_number, &NodeFacts::tokens,   &NodeFacts::rows,  &NodeFacts::columns,
    &NodeFacts::inner,        &NodeFacts::elements, &NodeFacts::flops, &NodeFacts::weight_bytes,
};
static_assert(std::size(kCounts) == std::size(kBoundsFields));

bool AnyMatches(std::string_view glob, const std::vector<std::string_view>& names) {
  return std::ranges::any_of(names, [&](std::string_view name) { return GlobMatch(glob, name); });
}

bool FoundInAny(const NameRegex& regex, const std::vector<std::string_view>& names) {
  return std::ranges::any_of(names, [&](std::string_view name) { return regex.FoundIn(name); });
}

// Checks everything that only needs comparing short names and numbers.
bool KindMatches(const Rule& rule, const NodeFacts& facts) {
  if (!rule.op.empty() && !OpMatches(rule.op, facts.op, facts.family)) return false;
  if (rule.layer.min && facts.layer.value_or(-1) < *rule.layer.min) return false;
  if (rule.layer.max && (!facts.layer || *facts.layer > *rule.layer.max)) return false;
  if (rule.weight_type.empty()) return true;
  auto same = [&](DType type) { return Name(type) == rule.weight_type; };
  return !facts.weight_types.empty() && std::ranges::all_of(facts.weight_types, same);
}

bool ScopeMatches(std::string_view glob, const NodeFacts& facts) {
  return AnyMatches(glob, facts.scopes) ||
         (!facts.fused_name.empty() && GlobMatch(glob, facts.fused_name));
}

bool GlobsMatch(const Rule& rule, const NodeFacts& facts) {
  if (!rule.scope.empty() && !ScopeMatches(rule.scope, facts)) return false;
  return rule.node.empty() || AnyMatches(rule.node, facts.names) || ScopeMatches(rule.node, facts);
}

bool RegexMatches(const Rule& rule, const NodeFacts& facts) {
  return rule.node_regex.empty() || FoundInAny(rule.node_regex, facts.names) ||
         FoundInAny(rule.node_regex, facts.scopes) ||
         (!facts.fused_name.empty() && rule.node_regex.FoundIn(facts.fused_name));
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

// Adds the bytes of all weights and the types of the matrices. The type of a norm's vector counts
// only if there is no matrix: f32 next to a q8_0 matrix would keep the rule for q8_0 from matching.
void AddWeights(const Node& node, NodeFacts* facts) {
  std::vector<DType> vector_types;
  for (Value input : node.inputs()) {
    if (!input.node->op().traits.weight) continue;
    facts->names.push_back(WeightName(*input.node));
    facts->weight_bytes += CountBytes(input.type());
    (input.type().rank() >= 2 ? facts->weight_types : vector_types)
        .push_back(input.type().tensor.dtype);
  }
  if (facts->weight_types.empty()) facts->weight_types = std::move(vector_types);
}

SymbolValues AtTokens(const SymbolRanges& symbols, int64_t tokens) {
  return {tokens, std::min(symbols[Symbol::kR].max, tokens), symbols[Symbol::kS].max};
}

bool Splits(const Term& term) {
  auto holds = [&](double value) {
    return term.cmp == ">=" ? value >= term.threshold : value <= term.threshold;
  };
  return holds(term.lo) != holds(term.hi);
}

// An expert that a single token uses has one row. Beyond that, each token adds `used` rows to the
// experts, evenly.
SymbolicCount ExpertRowsOf(const Node& node, const SymbolicCount& rows) {
  const ValueType& ids = node.input(node.op().traits.expert_input).type();
  const ValueType& weight = node.input(1).type();
  if (ids.rank() != 2 || ids.dim(1).is_symbol() || weight.rank() != 3) return rows;
  const double share =
      static_cast<double>(ids.dim(1).value()) / static_cast<double>(weight.dim(0).value());
  SymbolicCount result = share * rows;
  result.c0 += 1 - share;
  return result;
}

NodeFacts FactsOf(const Node& node) {
  NodeFacts facts;
  facts.op = node.op().name;
  facts.family = node.op().family_name();
  facts.scopes.push_back(node.scope());
  facts.scopes.insert(facts.scopes.end(), node.merged_scopes().begin(), node.merged_scopes().end());
  if (!node.merged_scopes().empty()) facts.fused_name = NodeName(node);
  for (int i = 0; i < node.num_results(); ++i) facts.names.push_back(node.result(i).name);
  facts.layer = LayerOf(node.scope());
  facts.layer_number = {.c0 = static_cast<double>(facts.layer.value_or(0))};
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
    if (node.op().traits.expert_input >= 0) facts.rows = ExpertRowsOf(node, facts.rows);
    facts.elements = CountElements(type->tensor.shape).value_or(SymbolicCount{});
  }
  return facts;
}

bool NamesMatch(const Rule& rule, const NodeFacts& facts) {
  return KindMatches(rule, facts) && GlobsMatch(rule, facts) && RegexMatches(rule, facts);
}

std::vector<Comparison> ComparisonsOf(const Rule& rule, const NodeFacts& facts) {
  std::vector<Comparison> comparisons;
  auto add = [&](std::string_view field, bool at_least, int64_t threshold,
                 const SymbolicCount& count) {
    comparisons.push_back({field, at_least, static_cast<double>(threshold), &count});
  };
  if (rule.phase == Phase::kDecode) add("tokens", false, 1, facts.tokens);
  if (rule.phase == Phase::kPrefill) add("tokens", true, 2, facts.tokens);
  for (size_t i = 0; i < std::size(kBoundsFields); ++i) {
    const Bounds& bounds = rule.*kBoundsFields[i].bounds;
    if (bounds.min) add(kBoundsFields[i].name, true, *bounds.min, facts.*kCounts[i]);
    if (bounds.max) add(kBoundsFields[i].name, false, *bounds.max, facts.*kCounts[i]);
  }
  return comparisons;
}

Range TokensWhere(const std::vector<Comparison>& comparisons, const SymbolRanges& symbols) {
  const Range all = symbols[Symbol::kT];
  Range tokens = all;
  for (const Comparison& comparison : comparisons) {
    const bool at_first = comparison.HoldsAt(symbols, all.min);
    const bool at_last = comparison.HoldsAt(symbols, all.max);
    if (at_first && at_last) continue;
    if (!at_first && !at_last) return {all.min, all.min - 1};
    int64_t change = FirstChange(all, [&](int64_t at) { return comparison.HoldsAt(symbols, at); });
    if (at_first) {
      tokens.max = std::min(tokens.max, change - 1);
    } else {
      tokens.min = std::max(tokens.min, change);
    }
  }
  return tokens;
}

Range TokensOf(const Rule& rule, const NodeFacts& facts, const SymbolRanges& symbols) {
  constexpr Range kNone = {1, 0};
  // In ascending order of cost: a regular expression takes as long as all the rest.
  if (!KindMatches(rule, facts) || !GlobsMatch(rule, facts)) return kNone;
  const Range tokens = TokensWhere(ComparisonsOf(rule, facts), symbols);
  return tokens.min <= tokens.max && RegexMatches(rule, facts) ? tokens : kNone;
}

RuleMatch Match(const Rule& rule, const NodeFacts& facts, const SymbolRanges& symbols) {
  RuleMatch match;
  const Range tokens = TokensOf(rule, facts, symbols);
  if (tokens.max < tokens.min) return match;
  match.matches = true;
  const SymbolValues first = AtTokens(symbols, symbols[Symbol::kT].min);
  const SymbolValues last = AtTokens(symbols, symbols[Symbol::kT].max);
  for (const Comparison& comparison : ComparisonsOf(rule, facts)) {
    const Term& term = match.terms.emplace_back(
        Term{std::string(comparison.field), comparison.at_least ? ">=" : "<=", comparison.threshold,
             comparison.count->At(first), comparison.count->At(last)});
    if (!match.splits && Splits(term)) match.splits = term;
  }
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
          " holds for only a part of that; cut the range of T there"));
    }
    if (match.matches) return RuleChoice{&rule, std::move(match.terms)};
    if (!rule.node_regex.status().ok()) return CheckRegexSteps(policy);
  }
  return absl::InvalidArgumentError(StrCat("policy ", policy.name, " has no rule for node ",
                                           DescribeNode(node),
                                           "; end it with a rule without predicates"));
}

}  // namespace infer
