// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "ir/base/json.h"
#include "ir/base/strings.h"
#include "ir/graph/placement.h"
#include "tools/policy/policy_report.h"

namespace infer {
namespace {

std::string RangeText(const Range& range) { return StrCat(range.min, "..", range.max); }

std::string RangesText(const std::vector<Range>& ranges) {
  return absl::StrJoin(
      ranges, ", ", [](std::string* out, const Range& range) { StrAppend(out, RangeText(range)); });
}

// How the nodes of one regime use the rules, by name.
struct RegimeUse {
  int64_t nodes = 0;
  std::set<std::string> targets;
};

void AddRegime(const Regime& regime, std::vector<PolicyCheck::RuleUse>* rules) {
  std::map<std::string_view, RegimeUse> uses;
  for (const Node* node : regime.graph.nodes()) {
    if (!node->placement()) continue;
    RegimeUse& use = uses[node->placement()->rule];
    ++use.nodes;
    use.targets.emplace(Name(node->placement()->target));
  }
  for (PolicyCheck::RuleUse& rule : *rules) {
    auto use = uses.find(rule.name);
    if (use == uses.end()) continue;
    rule.nodes = std::max(rule.nodes, use->second.nodes);
    for (const std::string& target : use->second.targets) {
      if (std::ranges::find(rule.targets, target) == rule.targets.end()) {
        rule.targets.push_back(target);
      }
    }
    if (!rule.tokens.empty() && rule.tokens.back().max + 1 == regime.min_tokens) {
      rule.tokens.back().max = regime.max_tokens;
    } else {
      rule.tokens.push_back({regime.min_tokens, regime.max_tokens});
    }
  }
}

const PolicyFinding* FindingOf(const PolicyCheck& check, std::string_view rule) {
  for (const PolicyFinding& finding : check.findings) {
    if (finding.rule == rule) return &finding;
  }
  return nullptr;
}

}  // namespace

PolicyCheck MakePolicyCheck(const Program& program, std::vector<PolicyFinding> findings) {
  PolicyCheck check;
  check.policy = program.policy.name;
  for (const ModelRef::File& file : program.model.files) {
    StrAppend(&check.model, check.model.empty() ? "" : ", ", file.name);
  }
  check.findings = std::move(findings);
  for (const std::string& name : program.overrides) check.rules.push_back({name, true, 0, {}, {}});
  for (const Rule& rule : program.policy.rules) {
    check.rules.push_back({rule.name, false, 0, {}, {}});
  }
  for (const Regime& regime : program.regimes) {
    check.regimes.push_back({regime.min_tokens, regime.max_tokens});
    AddRegime(regime, &check.rules);
  }
  return check;
}

std::string ToText(const PolicyCheck& check) {
  std::string text = StrCat("policy   ", check.policy, "\nmodel    ", check.model,
                            "\nregimes  T = ", RangesText(check.regimes), "\nrules\n");
  size_t width = 0;
  for (const PolicyCheck::RuleUse& rule : check.rules) width = std::max(width, rule.name.size());
  for (const PolicyCheck::RuleUse& rule : check.rules) {
    StrAppend(&text, "  ", rule.name, std::string(width - rule.name.size() + 2, ' '));
    if (rule.nodes > 0) {
      StrAppend(&text, rule.nodes, rule.nodes == 1 ? " node on " : " nodes on ",
                absl::StrJoin(rule.targets, ", "), " for T = ", RangesText(rule.tokens));
    }
    if (const PolicyFinding* finding = FindingOf(check, rule.name)) {
      StrAppend(&text, rule.nodes > 0 ? "; " : "", finding->text);
    } else if (rule.nodes == 0) {
      StrAppend(&text, "no node is left for it");
    }
    text += "\n";
  }
  return text;
}

std::string ToJson(const PolicyCheck& check) {
  auto ranges_json = [](const std::vector<Range>& ranges) {
    Json json = Json::array();
    for (const Range& range : ranges) {
      json.push_back({{"min_tokens", range.min}, {"max_tokens", range.max}});
    }
    return json;
  };
  Json rules = Json::array(), findings = Json::array();
  for (const PolicyCheck::RuleUse& rule : check.rules) {
    rules.push_back({{"name", rule.name},
                     {"override", rule.is_override},
                     {"nodes", rule.nodes},
                     {"targets", rule.targets},
                     {"regimes", ranges_json(rule.tokens)}});
  }
  for (const PolicyFinding& finding : check.findings) {
    findings.push_back({{"rule", finding.rule},
                        {"override", finding.is_override},
                        {"kind", Name(finding.kind)},
                        {"text", finding.text}});
  }
  Json json = {{"schema_version", 1},  {"policy", check.policy},
               {"model", check.model}, {"regimes", ranges_json(check.regimes)},
               {"rules", rules},       {"findings", findings}};
  return JsonText(json, 2) + "\n";
}

}  // namespace infer
