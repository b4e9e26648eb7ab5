// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "absl/strings/str_format.h"
#include "ir/base/json.h"
#include "ir/base/status_macros.h"
#include "ir/base/strings.h"
#include "passes/policies.h"
#include "tools/api/compile_model.h"
#include "tools/policy/policy_report.h"

namespace infer {
namespace {

Json TargetsJson(const std::vector<Target>& targets) {
  Json names = Json::array();
  for (Target target : targets) names.push_back(Name(target));
  return names;
}

// Writes only the fields that are set; the others match every node.
Json RuleJson(const Rule& rule) {
  Json json = {{"name", rule.name}};
  if (!rule.op.empty()) json["op"] = rule.op;
  if (!rule.scope.empty()) json["scope"] = rule.scope;
  if (!rule.node.empty()) json["node"] = rule.node;
  if (!rule.node_regex.empty()) json["node_regex"] = rule.node_regex.text();
  if (!rule.weight_type.empty()) json["weight_type"] = rule.weight_type;
  if (rule.phase != Phase::kAny) json["phase"] = Name(rule.phase);
  for (const BoundsField& field : kBoundsFields) {
    const Bounds& bounds = rule.*field.bounds;
    if (bounds.min) json[StrCat("min_", field.name)] = *bounds.min;
    if (bounds.max) json[StrCat("max_", field.name)] = *bounds.max;
  }
  json["targets"] = TargetsJson(rule.targets);
  return json;
}

Json ToJsonObject(const Policy& policy) {
  Json rules = Json::array();
  for (const Rule& rule : policy.rules) rules.push_back(RuleJson(rule));
  return {{"name", policy.name},
          {"summary", policy.summary},
          {"composites", policy.composites == Policy::Composites::kKeep ? "keep" : "decompose"},
          {"activations", policy.activations == Policy::Activations::kAuto ? "auto" : "float"},
          {"invariant", policy.invariant},
          {"kv_type", policy.kv_type ? Json(Name(*policy.kv_type)) : Json(nullptr)},
          {"rules", rules}};
}

}  // namespace

absl::StatusOr<std::string> PolicyListText() {
  std::string text;
  for (const NamedPolicyText& named : NamedPolicies()) {
    ASSIGN_OR_RETURN(Policy policy, LoadPolicy(named.name));
    absl::StrAppendFormat(&text, "%c %-10s %s\n", policy.name == DefaultPolicy() ? '*' : ' ',
                          policy.name, policy.summary);
  }
  StrAppend(&text, "* is used unless --policy names another\n");
  return text;
}

absl::StatusOr<std::string> PolicyListJson() {
  Json policies = Json::array();
  for (const NamedPolicyText& named : NamedPolicies()) {
    ASSIGN_OR_RETURN(Policy policy, LoadPolicy(named.name));
    policies.push_back(ToJsonObject(policy));
  }
  Json json = {{"schema_version", 1}, {"default", DefaultPolicy()}, {"policies", policies}};
  return JsonText(json, 2) + "\n";
}

std::string PolicyJson(const Policy& policy) {
  Json json = {{"schema_version", 1}};
  json.update(ToJsonObject(policy));
  // Names come from a file, which was refused if it was not UTF-8.
  return JsonText(json, 2) + "\n";
}

}  // namespace infer
