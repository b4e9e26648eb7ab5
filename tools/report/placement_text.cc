// SPDX-License-Identifier: Apache-2.0
#include "tools/report/placement_text.h"

#include <algorithm>
#include <optional>

#include "absl/strings/str_join.h"
#include "ir/base/strings.h"
#include "ir/graph/placement.h"
#include "ir/policy/place_rule.h"
#include "passes/node_facts.h"
#include "tools/report/quantity_text.h"

namespace infer {
namespace {

// Returns whether a flag gave the rule. Such a rule is named by the flag's text, even in records
// that another pass has changed since.
bool GivenByFlag(const Program& program, const Placement& placement) {
  return placement.source == PlacementSource::kOverride ||
         std::ranges::find(program.overrides, placement.rule) != program.overrides.end();
}

// Returns nullptr if a flag gave the rule: a Program stores only the policy's rules.
const Rule* FindRule(const Program& program, const Placement& placement) {
  if (GivenByFlag(program, placement)) return nullptr;
  auto rule = std::ranges::find(program.policy.rules, placement.rule, &Rule::name);
  return rule == program.policy.rules.end() ? nullptr : &*rule;
}

void AddField(std::string_view field, const std::string& wanted, std::vector<std::string>* parts) {
  if (!wanted.empty()) parts->push_back(StrCat(field, " ", wanted));
}

}  // namespace

std::string TermText(const Term& term) {
  return StrCat(term.field, " ", term.cmp, " ", ExactText(term.threshold), ": ",
                SpanText(ExactText(term.lo), ExactText(term.hi)));
}

std::string DecidedByText(const Program& program, const Placement& placement) {
  std::string rule = GivenByFlag(program, placement)
                         ? StrCat("rule ", placement.rule, ", given on the command line")
                         : StrCat("rule ", placement.rule, " of policy ", program.policy.name);
  switch (placement.source) {
    case PlacementSource::kPolicy:
    case PlacementSource::kOverride:
      return rule;
    case PlacementSource::kSmooth:
      return StrCat(rule, ", moved to its neighbours' target by smooth-placement");
    case PlacementSource::kLegalize:
      return StrCat(rule, ", for the op that this is a part of");
  }
  return rule;
}

std::string BecauseText(const Program& program, const Placement& placement) {
  std::vector<std::string> parts;
  const Rule* rule = FindRule(program, placement);
  if (rule != nullptr) {
    AddField("op", rule->op, &parts);
    AddField("scope", rule->scope, &parts);
    AddField("name", rule->node, &parts);
    AddField("weight type", rule->weight_type, &parts);
    if (rule->phase != Phase::kAny) parts.push_back(std::string(Name(rule->phase)));
  }
  for (const Term& term : placement.terms) parts.push_back(TermText(term));
  if (!parts.empty()) return absl::StrJoin(parts, ", ");
  return rule == nullptr ? "its name matches" : "it takes every node";
}

std::vector<PassedOver> RulesPassedOver(const Program& program, const NodeView& view,
                                        const SymbolRanges& symbols) {
  std::vector<PassedOver> passed;
  // An override comes before the policy, and a part was decided with the whole it belongs to.
  if (view.placement().source != PlacementSource::kPolicy) return passed;
  NodeFacts facts = FactsOf(*view.node);
  const Range& tokens = symbols[Symbol::kT];
  for (const Rule& rule : program.policy.rules) {
    if (rule.name == view.placement().rule) break;
    if (!NamesMatch(rule, facts)) continue;
    PassedOver over{rule.name, {}};
    for (const Comparison& comparison : ComparisonsOf(rule, facts)) {
      double lo = comparison.count->At(AtTokens(symbols, tokens.min));
      double hi = comparison.count->At(AtTokens(symbols, tokens.max));
      if (comparison.Holds(lo) || comparison.Holds(hi)) continue;
      over.terms.push_back({std::string(comparison.field),
                            comparison.at_least ? ">=" : "<=", comparison.threshold, lo, hi});
    }
    if (!over.terms.empty()) passed.push_back(std::move(over));
  }
  return passed;
}

std::string PassedOverText(const PassedOver& rule) {
  return StrCat(rule.rule, " wants ",
                absl::StrJoin(rule.terms, ", ", [](std::string* out, const Term& term) {
                  StrAppend(out, TermText(term));
                }));
}

bool CouldMove(const Rejected& rejected) {
  return rejected.code != Rejected::Code::kNoKernel &&
         rejected.code != Rejected::Code::kUnavailable;
}

std::string_view MustComeBefore(const Placement& placement) {
  return placement.rule.starts_with(kPlacePrefix) ? placement.rule : std::string_view();
}

ScopeIndex::ScopeIndex(std::span<const RegimeView> regimes) {
  for (const RegimeView& regime : regimes) {
    for (const NodeView& view : regime.nodes) {
      Facts& facts = scopes_[WithoutLayer(view.node->scope())];
      if (std::optional<int64_t> layer = LayerOf(view.node->scope())) facts.layers.insert(*layer);
      facts.ops.insert(view.node->op().name);
    }
  }
}

std::string ScopeIndex::PlaceRule(const NodeGroup& group, Target target) const {
  auto facts = scopes_.find(group.scope);
  bool all = facts != scopes_.end() && std::ranges::equal(group.layers, facts->second.layers);
  bool is_run = group.layers.size() > 1 && group.layers.back() - group.layers.front() + 1 ==
                                               static_cast<int64_t>(group.layers.size());
  NodeGroup named = group;
  if (!all && !is_run && named.layers.size() > 1) named.layers.resize(1);
  std::string rule = StrCat("name=", named.FullScope());
  if (facts != scopes_.end() && facts->second.ops.size() > 1) StrAppend(&rule, ",op=", group.op);
  if (!all && is_run) {
    StrAppend(&rule, ",layer>=", group.layers.front(), ",layer<=", group.layers.back());
  }
  return StrCat(rule, "=", Name(target));
}

}  // namespace infer
