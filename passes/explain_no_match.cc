// SPDX-License-Identifier: Apache-2.0
#include "passes/explain_no_match.h"

#include <algorithm>
#include <set>

#include "ir/base/nearest.h"
#include "ir/base/strings.h"
#include "passes/suggest.h"

namespace infer {
namespace {

// A rule with a single predicate, and its text.
struct Predicate {
  Rule rule;
  std::string text;
};

bool Holds(const Rule& rule, const NodeFacts& facts, const SymbolRanges& symbols) {
  const Range tokens = TokensOf(rule, facts, symbols);
  return tokens.min <= tokens.max;
}

std::vector<Predicate> PredicatesOf(const Rule& rule) {
  std::vector<Predicate> predicates;
  auto add = [&](std::string text) -> Rule& {
    return predicates.emplace_back(Predicate{{}, std::move(text)}).rule;
  };
  if (!rule.op.empty()) add(StrCat("op ", rule.op)).op = rule.op;
  if (!rule.scope.empty()) add(StrCat("scope ", rule.scope)).scope = rule.scope;
  if (!rule.node.empty()) add(StrCat("name ", rule.node)).node = rule.node;
  if (!rule.node_regex.empty()) {
    add(StrCat("name ~ ", rule.node_regex.text())).node_regex = rule.node_regex;
  }
  if (!rule.weight_type.empty()) {
    add(StrCat("weight type ", rule.weight_type)).weight_type = rule.weight_type;
  }
  if (rule.phase != Phase::kAny) add(StrCat("phase ", Name(rule.phase))).phase = rule.phase;
  for (const BoundsField& field : kBoundsFields) {
    const Bounds& bounds = rule.*field.bounds;
    if (bounds.min) (add(StrCat(field.name, " >= ", *bounds.min)).*field.bounds).min = bounds.min;
    if (bounds.max) (add(StrCat(field.name, " <= ", *bounds.max)).*field.bounds).max = bounds.max;
  }
  return predicates;
}

// Returns "1 to 512", or one number.
std::string Between(double lo, double hi) { return lo == hi ? StrCat(lo) : StrCat(lo, " to ", hi); }

// Returns a scope with its layer number replaced by *: "layer.*/attn/q_proj".
std::string AnyLayer(std::string_view scope) {
  if (!LayerOf(scope)) return std::string(scope);
  size_t slash = scope.find('/');
  return StrCat("layer.*", slash == std::string_view::npos ? "" : scope.substr(slash));
}

// Returns the words that a predicate about names could have meant.
std::set<std::string> WordsFor(const Rule& predicate, const std::vector<NodeFacts>& nodes) {
  std::set<std::string> words;
  for (const NodeFacts& facts : nodes) {
    if (!predicate.op.empty()) words.insert({std::string(facts.op), std::string(facts.family)});
    for (DType type : facts.weight_types) {
      if (!predicate.weight_type.empty()) words.emplace(Name(type));
    }
    const bool names = !predicate.node.empty() || !predicate.node_regex.empty();
    if (predicate.scope.empty() && !names) continue;
    for (std::string_view scope : facts.scopes) {
      words.insert({std::string(scope), AnyLayer(scope)});
    }
    if (names) words.insert(facts.names.begin(), facts.names.end());
  }
  return words;
}

std::string JoinAll(const std::set<std::string>& words) {
  std::string text;
  for (const std::string& word : words) StrAppend(&text, text.empty() ? "" : ", ", word);
  return text;
}

// Returns example names: of a weight and of a scope, inside and outside a layer.
std::string ExamplesOf(const std::vector<NodeFacts>& nodes) {
  const NodeFacts* outside = nullptr;
  const NodeFacts* inside = nullptr;
  for (const NodeFacts& facts : nodes) {
    if (facts.weight_types.empty()) continue;  // names end with those of weights, if there are any
    const NodeFacts*& first = facts.layer ? inside : outside;
    if (first == nullptr) first = &facts;
  }
  std::set<std::string> examples;
  for (const NodeFacts* facts : {outside, inside}) {
    if (facts == nullptr) continue;
    examples.emplace(facts->names.back());
    examples.emplace(facts->scopes[0]);
  }
  return examples.empty() ? "" : StrCat("; examples of names: ", JoinAll(examples));
}

// Returns what the nodes have instead, for a predicate that holds for none of them.
std::string Instead(const Rule& predicate, const std::vector<NodeFacts>& nodes,
                    const SymbolRanges& symbols) {
  const std::set<std::string> words = WordsFor(predicate, nodes);
  if (!predicate.op.empty() || !predicate.weight_type.empty()) {
    std::vector<std::string> list(words.begin(), words.end());
    const std::string& word = predicate.op.empty() ? predicate.weight_type : predicate.op;
    return StrCat(DidYouMean(word, list), "; the model has ", JoinAll(words));
  }
  if (!predicate.scope.empty() || !predicate.node.empty()) {
    const std::string& glob = predicate.scope.empty() ? predicate.node : predicate.scope;
    return SuggestForGlob(glob, std::vector<std::string_view>(words.begin(), words.end()));
  }
  if (!predicate.node_regex.empty()) {
    const std::string& regex = predicate.node_regex.text();
    const std::vector<std::string_view> names(words.begin(), words.end());
    return StrCat(SuggestForRegex(regex, names), ExamplesOf(nodes));
  }
  double lo = 0, hi = 0;
  bool any = false;
  for (const NodeFacts& facts : nodes) {
    for (const Comparison& comparison : ComparisonsOf(predicate, facts)) {
      if (comparison.field == "layer" && !facts.layer) continue;
      double first = comparison.count->At(AtTokens(symbols, symbols[Symbol::kT].min));
      double last = comparison.count->At(AtTokens(symbols, symbols[Symbol::kT].max));
      lo = any ? std::min(lo, first) : first;
      hi = any ? std::max(hi, last) : last;
      any = true;
    }
  }
  return any ? StrCat("; in this model it is ", Between(lo, hi)) : "";
}

// Returns what one node has instead of a predicate.
std::string Instead(const Rule& predicate, const NodeFacts& facts, const SymbolRanges& symbols) {
  if (!predicate.op.empty()) return StrCat("op is ", facts.op);
  if (!predicate.weight_type.empty()) {
    return facts.weight_types.empty() ? std::string("weight type is undefined")
                                      : StrCat("weight type is ", Name(facts.weight_types.back()));
  }
  for (const Comparison& comparison : ComparisonsOf(predicate, facts)) {
    if (comparison.field == "layer" && !facts.layer) return "layer is undefined";
    return StrCat(comparison.field, " is ",
                  Between(comparison.count->At(AtTokens(symbols, symbols[Symbol::kT].min)),
                          comparison.count->At(AtTokens(symbols, symbols[Symbol::kT].max))));
  }
  return StrCat("scope is ", facts.scopes[0]);
}

}  // namespace

std::string ExplainNoMatch(const Rule& rule, const std::vector<NodeFacts>& nodes,
                           const SymbolRanges& symbols) {
  const std::vector<Predicate> predicates = PredicatesOf(rule);
  for (const Predicate& predicate : predicates) {
    auto holds = [&](const NodeFacts& facts) { return Holds(predicate.rule, facts, symbols); };
    if (std::ranges::any_of(nodes, holds)) continue;
    return StrCat("matches no node: none has ", predicate.text,
                  Instead(predicate.rule, nodes, symbols));
  }
  const NodeFacts* nearest = nullptr;
  std::vector<const Predicate*> fewest;
  for (const NodeFacts& facts : nodes) {
    std::vector<const Predicate*> missed;
    for (const Predicate& predicate : predicates) {
      if (!Holds(predicate.rule, facts, symbols)) missed.push_back(&predicate);
    }
    if (nearest != nullptr && missed.size() >= fewest.size()) continue;
    nearest = &facts;
    fewest = std::move(missed);
  }
  if (nearest == nullptr) return "matches no node: the graph has none";
  std::string text =
      StrCat("matches no node; nearest is ", nearest->scopes[0], " (", nearest->op, ")");
  if (fewest.empty()) return StrCat(text, ", for which its bounds never hold at the same T");
  for (const Predicate* predicate : fewest) {
    StrAppend(&text, predicate == fewest.front() ? ", whose " : " and ",
              Instead(predicate->rule, *nearest, symbols), ", not ", predicate->text);
  }
  return text;
}

}  // namespace infer
