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
#include "ir/graph.h"
#include "ir/policy.h"

namespace infer {

// A node as the rules see it. Counts are functions of the symbols.
struct NodeFacts {
  std::string_view op;
  std::string_view scope;
  std::vector<DType> weight_types;
  std::optional<int64_t> layer;
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

// Whether a rule matches on a range of the symbols, and the predicates it tested with their
// numbers.
struct RuleMatch {
  bool matches = false;  // for some T of the range
  // The first predicate that does not hold for all of it, if the rule matches for a part.
  std::optional<Term> splits;
  std::vector<Term> terms;
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

// Shell-like pattern: * any run of characters, ? any one.
bool GlobMatch(std::string_view pattern, std::string_view text);

}  // namespace infer
