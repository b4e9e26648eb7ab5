// SPDX-License-Identifier: Apache-2.0
//
// The facts about a node that a policy's predicates can test.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "ir/base/glob.h"
#include "ir/graph/graph.h"
#include "ir/graph/placement.h"
#include "ir/policy/policy.h"

namespace infer {

// A node as the rules see it. Counts are functions of the symbols. Views point into the node.
struct NodeFacts {
  std::string_view op;
  std::string_view family;
  std::vector<std::string_view> scopes;  // its own, then those of nodes merged into it
  std::string fused_name;                // see NodeName; empty if nothing was merged into the node
  std::vector<std::string_view> names;   // of its results and of its weights
  std::vector<DType> weight_types;
  std::optional<int64_t> layer;
  SymbolicCount layer_number;  // `layer` as a count, like the others
  SymbolicCount tokens;
  SymbolicCount rows;
  SymbolicCount columns;
  SymbolicCount inner;
  SymbolicCount elements;
  SymbolicCount flops;
  SymbolicCount weight_bytes;
};

NodeFacts FactsOf(const Node& node);

// Returns N for a scope "layer.N" or "layer.N/...".
std::optional<int64_t> LayerOf(std::string_view scope);

// Returns the values of the symbols for a call of this many tokens. Only T cuts regimes, so a
// predicate is evaluated for a call that requests as many rows of logits as possible (R = min(R's
// upper end, T)) and sees a full cache (S at its upper end). That makes every quantity a
// non-decreasing function of T.
SymbolValues AtTokens(const SymbolRanges& symbols, int64_t tokens);

// Returns the first T of the range at which `holds` differs from its value at the lower end, by
// bisection: it must change at most once. One past the range if it does not change.
int64_t FirstChange(const Range& tokens, const std::function<bool(int64_t)>& holds);

// Checks the parts of a rule that do not depend on T: op, layer, weight type and names.
bool NamesMatch(const Rule& rule, const NodeFacts& facts);

// One comparison of a rule: `field` of the node against a threshold.
struct Comparison {
  std::string_view field;
  bool at_least = false;  // >= if true, otherwise <=
  double threshold = 0;
  const SymbolicCount* count = nullptr;  // in the NodeFacts

  bool Holds(double value) const { return at_least ? value >= threshold : value <= threshold; }
  bool HoldsAt(const SymbolRanges& symbols, int64_t tokens) const {
    return Holds(count->At(AtTokens(symbols, tokens)));
  }
};
std::vector<Comparison> ComparisonsOf(const Rule& rule, const NodeFacts& facts);

// Returns the tokens of the range for which all comparisons hold; empty (max < min) if there are
// none. Those with >= hold from some T on and those with <= up to some T, so the result is an
// interval.
Range TokensWhere(const std::vector<Comparison>& comparisons, const SymbolRanges& symbols);

// Returns the tokens for which the rule matches the node.
Range TokensOf(const Rule& rule, const NodeFacts& facts, const SymbolRanges& symbols);

// Whether a rule matches on a range of the symbols, and the predicates it tested with their values.
struct RuleMatch {
  bool matches = false;  // for some T of the range
  // The first predicate that does not hold for the whole range, if the rule matches for a part of
  // it.
  std::optional<Term> splits;
  std::vector<Term> terms;  // if it matches
};
RuleMatch Match(const Rule& rule, const NodeFacts& facts, const SymbolRanges& symbols);

// Returns whether the predicate holds at only one end of the term's values.
bool Splits(const Term& term);

// The first rule of the policy that matches, with its terms. It is an error if no rule matches, or
// if a predicate splits the range.
struct RuleChoice {
  const Rule* rule = nullptr;
  std::vector<Term> terms;
};
absl::StatusOr<RuleChoice> ChooseRule(const Policy& policy, const Node& node,
                                      const SymbolRanges& symbols);

}  // namespace infer
