// SPDX-License-Identifier: Apache-2.0
#include "passes/check_policy.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "ir/base/strings.h"
#include "ir/graph/placement.h"
#include "passes/explain_no_match.h"
#include "passes/node_facts.h"

namespace infer {
namespace {

// The number of names listed after "an earlier rule: " before the rest is only counted.
constexpr size_t kMaxNamed = 3;

// Returns `from` without the tokens of `taken`.
std::vector<Range> Subtract(const std::vector<Range>& from, const Range& taken) {
  std::vector<Range> rest;
  for (const Range& range : from) {
    if (taken.max < range.min || range.max < taken.min) {
      rest.push_back(range);
      continue;
    }
    if (range.min < taken.min) rest.push_back({range.min, taken.min - 1});
    if (taken.max < range.max) rest.push_back({taken.max + 1, range.max});
  }
  return rest;
}

std::string JoinSome(const std::vector<std::string>& names) {
  std::string text;
  for (size_t i = 0; i < std::min(names.size(), kMaxNamed); ++i) {
    StrAppend(&text, i == 0 ? "" : ", ", names[i]);
  }
  if (names.size() > kMaxNamed) StrAppend(&text, " and ", names.size() - kMaxNamed, " more");
  return text;
}

class RuleCheck {
 public:
  RuleCheck(const Graph& graph, const Policy& policy, const SymbolRanges& symbols)
      : policy_(policy), symbols_(symbols), tokens_(policy.rules.size()) {
    for (const Node* node : graph.nodes()) {
      if (IsExecuted(*node)) nodes_.push_back(FactsOf(*node));
    }
  }

  // Returns why the rule decides nothing; nullopt if it decides something.
  std::optional<PolicyFinding> Check(size_t index) {
    const Rule& rule = policy_.rules[index];
    size_t matched = 0;
    std::vector<std::string> earlier;
    for (size_t node = 0; node < nodes_.size(); ++node) {
      const Range tokens = TokensFor(index)[node];
      if (tokens.max < tokens.min) continue;
      ++matched;
      std::vector<Range> open = {tokens};
      for (size_t i = 0; i < index && !open.empty(); ++i) {
        std::vector<Range> rest = Subtract(open, TokensFor(i)[node]);
        if (rest != open && std::ranges::find(earlier, policy_.rules[i].name) == earlier.end()) {
          earlier.push_back(policy_.rules[i].name);
        }
        open = std::move(rest);
      }
      if (!open.empty()) return std::nullopt;
    }
    if (matched == 0) {
      return PolicyFinding{PolicyFinding::Kind::kMatchesNothing, rule.name, rule.is_override,
                           ExplainNoMatch(rule, nodes_, symbols_)};
    }
    return PolicyFinding{
        PolicyFinding::Kind::kShadowed, rule.name, rule.is_override,
        StrCat("is shadowed: it matches ", matched, matched == 1 ? " node" : " nodes",
               ", each decided by an earlier rule: ", JoinSome(earlier))};
  }

 private:
  // Returns the tokens for which the rule matches each node. Kept, because every rule that decides
  // nothing is compared with all rules before it.
  const std::vector<Range>& TokensFor(size_t index) {
    std::vector<Range>& tokens = tokens_[index];
    if (tokens.empty()) {
      for (const NodeFacts& facts : nodes_) {
        tokens.push_back(TokensOf(policy_.rules[index], facts, symbols_));
      }
    }
    return tokens;
  }

  const Policy& policy_;
  const SymbolRanges symbols_;
  std::vector<NodeFacts> nodes_;
  std::vector<std::vector<Range>> tokens_;  // by rule and node; empty: not yet computed
};

bool IsForEverything(const Rule& rule) {
  Rule bare;
  bare.name = rule.name;
  bare.targets = rule.targets;
  bare.is_override = rule.is_override;
  return rule == bare;
}

// A target of a rule that could not be used.
struct PassedTarget {
  size_t nodes = 0;
  bool unavailable = false;
  std::string reason;  // for the first node
};

// The result for the nodes that a rule decided.
struct Outcome {
  size_t nodes = 0;
  size_t elsewhere = 0;  // not on the rule's first target, because it cannot run them
  std::map<Target, PassedTarget> passed;
  std::set<std::string> run_on;  // the targets of those nodes
};

// Another pass may have moved a node for other reasons.
bool CannotRun(const Rejected& rejected) {
  return rejected.code == Rejected::Code::kNoKernel ||
         rejected.code == Rejected::Code::kUnavailable;
}

// Adds the targets that cannot run the node and that the rule lists before the one that does. Those
// listed after it make no difference.
void AddFallback(const Rule& rule, const Placement& placement, Outcome* outcome) {
  ++outcome->elsewhere;
  outcome->run_on.emplace(Name(placement.target));
  const auto runs = std::ranges::find(rule.targets, placement.target);
  for (const Rejected& rejected : placement.rejected) {
    if (!CannotRun(rejected)) continue;
    if (std::find(rule.targets.begin(), runs, rejected.target) == runs) continue;
    PassedTarget& passed = outcome->passed[rejected.target];
    if (passed.nodes++ == 0) passed.reason = rejected.text;
    passed.unavailable |= rejected.code == Rejected::Code::kUnavailable;
  }
}

std::map<std::string_view, Outcome> OutcomesOf(const std::vector<Regime>& regimes,
                                               const Policy& policy) {
  std::map<std::string_view, Outcome> outcomes;
  std::map<std::string_view, const Rule*> rules;
  for (const Rule& rule : policy.rules) {
    if (!rule.targets.empty()) rules.emplace(rule.name, &rule);
  }
  for (const Regime& regime : regimes) {
    for (const Node* node : regime.graph.nodes()) {
      if (!node->placement()) continue;
      const Placement& placement = *node->placement();
      auto found = rules.find(placement.rule);
      if (found == rules.end()) continue;
      const Rule& rule = *found->second;
      Outcome& outcome = outcomes[found->first];
      ++outcome.nodes;
      const Target wanted = rule.targets.front();
      if (placement.target == wanted) continue;
      const bool cannot = std::ranges::any_of(placement.rejected, [&](const Rejected& rejected) {
        return rejected.target == wanted && CannotRun(rejected);
      });
      if (cannot) AddFallback(rule, placement, &outcome);
    }
  }
  return outcomes;
}

// Lists each target that the rule prefers to those that run its nodes, with the reason against it.
PolicyFinding FallbackOf(const Rule& rule, const Outcome& outcome) {
  std::string text;
  for (Target target : rule.targets) {
    auto found = outcome.passed.find(target);
    if (found == outcome.passed.end()) continue;
    const PassedTarget& passed = found->second;
    StrAppend(&text, Name(target), passed.unavailable ? " is unavailable" : "",
              passed.nodes == outcome.elsewhere ? "" : StrCat(" for ", passed.nodes, " of them"),
              ": ", passed.reason, "; ");
  }
  std::vector<std::string> run_on(outcome.run_on.begin(), outcome.run_on.end());
  StrAppend(&text, outcome.elsewhere, " of ", outcome.nodes,
            outcome.nodes == 1 ? " node runs on " : " nodes run on ", JoinSome(run_on), " instead");
  const bool unavailable = outcome.passed.at(rule.targets.front()).unavailable;
  return {unavailable ? PolicyFinding::Kind::kUnavailable : PolicyFinding::Kind::kFallback,
          rule.name, rule.is_override, std::move(text)};
}

}  // namespace

std::string_view Name(PolicyFinding::Kind kind) {
  constexpr std::string_view kNames[] = {"matches-nothing", "shadowed", "unavailable", "fallback"};
  return kNames[static_cast<int>(kind)];
}

std::string Describe(const PolicyFinding& finding) {
  return StrCat(finding.is_override ? "" : "rule ", finding.rule, ": ", finding.text);
}

std::vector<PolicyFinding> CheckPolicy(const Graph& graph, const std::vector<Regime>& regimes,
                                       const Policy& policy) {
  const std::map<std::string_view, Outcome> outcomes = OutcomesOf(regimes, policy);
  // Only rules that decided nothing are examined closely, and only then the graph.
  const bool decompose = policy.composites == Policy::Composites::kDecompose && !regimes.empty();
  std::optional<RuleCheck> check;
  std::vector<PolicyFinding> findings;
  for (size_t i = 0; i < policy.rules.size(); ++i) {
    const Rule& rule = policy.rules[i];
    if (auto found = outcomes.find(rule.name); found != outcomes.end()) {
      if (found->second.elsewhere > 0) findings.push_back(FallbackOf(rule, found->second));
      continue;
    }
    // A final catch-all rule is useful even if no node is left for it.
    if (i + 1 == policy.rules.size() && IsForEverything(rule)) continue;
    if (!check) check.emplace(decompose ? regimes.back().graph : graph, policy, graph.symbols());
    if (std::optional<PolicyFinding> finding = check->Check(i)) {
      findings.push_back(*std::move(finding));
    }
  }
  return findings;
}

}  // namespace infer
