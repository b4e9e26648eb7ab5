// SPDX-License-Identifier: Apache-2.0
//
// What a policy's predicates can ask about a node.
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
#include "ir/policy/policy.h"

namespace infer {

// A node as the rules see it. Counts are functions of the symbols. Views are into the node.
struct NodeFacts {
  std::string_view op;
  std::string_view family;
  std::vector<std::string_view> scopes;  // its own, then those of nodes merged into it
  std::string fused_name;                // see NodeName; empty if nothing was merged into the node
  std::vector<std::string_view> names;   // of its results and of its weights
  std::vector<DType> weight_types;
  std::optional<int64_t> layer;
  SymbolicCount layer_number;  // of `layer`, as the other counts are
  SymbolicCount tokens;
  SymbolicCount rows;
  SymbolicCount columns;
  SymbolicCount inner;
  SymbolicCount elements;
  SymbolicCount flops;
  SymbolicCount weight_bytes;
};

NodeFacts FactsOf(const Node& node);

// The N of a scope "layer.N" or "layer.N/...".
std::optional<int64_t> LayerOf(std::string_view scope);

// Only T cuts regimes, so a predicate asks about a call of so many tokens with as many rows of
// logits as it can want (R = min(R's upper end, T)) and a full cache (S at its upper end). That
// makes every quantity a function of T that never falls.
SymbolValues AtTokens(const SymbolRanges& symbols, int64_t tokens);

// The first T of the range at which `holds` answers otherwise than at the lower end, by bisection:
// it must change its answer at most once. One past the range if it does not.
int64_t FirstChange(const Range& tokens, const std::function<bool(int64_t)>& holds);

// The parts of a rule that do not depend on T: op, layer, weight type and names.
bool NamesMatch(const Rule& rule, const NodeFacts& facts);

// One comparison of a rule: `field` of the node with a threshold.
struct Comparison {
  std::string_view field;
  bool at_least = false;  // >=, or else <=
  double threshold = 0;
  const SymbolicCount* count = nullptr;  // in the NodeFacts

  bool Holds(double value) const { return at_least ? value >= threshold : value <= threshold; }
  bool HoldsAt(const SymbolRanges& symbols, int64_t tokens) const {
    return Holds(count->At(AtTokens(symbols, tokens)));
  }
};
std::vector<Comparison> ComparisonsOf(const Rule& rule, const NodeFacts& facts);

// The tokens of the range for which all comparisons hold; empty (max < min) if there are none.
// Those with >= hold from some T on, those with <= up to some T, so it is an interval.
Range TokensWhere(const std::vector<Comparison>& comparisons, const SymbolRanges& symbols);

// Those for which the rule matches the node.
Range TokensOf(const Rule& rule, const NodeFacts& facts, const SymbolRanges& symbols);

// Whether a rule matches on a range of the symbols, and the predicates it tested with their
// numbers.
struct RuleMatch {
  bool matches = false;  // for some T of the range
  // The first predicate that does not hold for all of it, if the rule matches for a part.
  std::optional<Term> splits;
  std::vector<Term> terms;  // if it matches
};
RuleMatch Match(const Rule& rule, const NodeFacts& facts, const SymbolRanges& symbols);

// Whether the predicate holds at one end of the term's numbers and not at the other.
bool Splits(const Term& term);

// The first rule of the policy that matches, with its terms. An error if none does, or if a
// predicate splits the range.
struct RuleChoice {
  const Rule* rule = nullptr;
  std::vector<Term> terms;
};
absl::StatusOr<RuleChoice> ChooseRule(const Policy& policy, const Node& node,
                                      const SymbolRanges& symbols);

}  // namespace infer
