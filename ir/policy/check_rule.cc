// SPDX-License-Identifier: Apache-2.0
//
// The checks of a rule that do not depend on the model.
#include <algorithm>
#include <set>
#include <string_view>
#include <utility>
#include <vector>

#include "ir/base/control_chars.h"
#include "ir/base/glob.h"
#include "ir/base/nearest.h"
#include "ir/base/status_macros.h"
#include "ir/base/strings.h"
#include "ir/graph/attr.h"
#include "ir/graph/op_def.h"
#include "ir/ops/op_list.h"
#include "ir/policy/policy.h"

namespace infer {
namespace {

// All of these texts are printed somewhere.
absl::Status CheckTexts(const Rule& rule) {
  for (auto [field, text] : {std::pair<const char*, std::string_view>{"name", rule.name},
                             {"op", rule.op},
                             {"scope", rule.scope},
                             {"node", rule.node},
                             {"node_regex", rule.node_regex.text()},
                             {"weight_type", rule.weight_type}}) {
    if (!HasControl(text)) continue;
    return absl::InvalidArgumentError(
        StrCat("has a control character in its ", field, ": ", Quote(text)));
  }
  return absl::OkStatus();
}

absl::Status CheckTargets(const Rule& rule) {
  if (rule.targets.empty()) {
    return absl::InvalidArgumentError("has no targets; add some, for example targets: [SCALAR]");
  }
  std::set<Target> targets(rule.targets.begin(), rule.targets.end());
  if (targets.size() != rule.targets.size()) {
    return absl::InvalidArgumentError("names a target twice");
  }
  return absl::OkStatus();
}

absl::Status CheckOp(const Rule& rule) {
  if (rule.op.empty()) return absl::OkStatus();
  auto matches = [&](const OpDef* op) { return OpMatches(rule.op, op->name, op->family_name()); };
  if (std::ranges::any_of(AllOps(), matches)) return absl::OkStatus();
  std::vector<std::string_view> names;
  for (const OpDef* op : AllOps()) names.push_back(op->name);
  return absl::InvalidArgumentError(
      StrCat("names the unknown op ", Quote(rule.op), DidYouMean(rule.op, names)));
}

absl::Status CheckWeightType(const Rule& rule) {
  if (rule.weight_type.empty() || FindDType(rule.weight_type)) return absl::OkStatus();
  std::vector<std::string_view> names;
  for (const DTypeInfo& info : AllDTypes()) names.push_back(info.name);
  return absl::InvalidArgumentError(StrCat("names the unknown weight type ",
                                           Quote(rule.weight_type),
                                           DidYouMean(rule.weight_type, names)));
}

absl::Status CheckBounds(const Rule& rule) {
  for (const BoundsField& field : kBoundsFields) {
    const Bounds& bounds = rule.*field.bounds;
    if (bounds.min && bounds.max && *bounds.min > *bounds.max) {
      return absl::InvalidArgumentError(StrCat("can match nothing: for ", field.name,
                                               ", its minimum ", *bounds.min,
                                               " is above its maximum ", *bounds.max));
    }
    for (auto [end, bound] : {std::pair{"minimum", bounds.min}, {"maximum", bounds.max}}) {
      if (bound.value_or(0) >= 0) continue;
      return absl::InvalidArgumentError(
          StrCat("has the ", end, " ", *bound, " for ", field.name, "; bounds must be 0 or more"));
    }
  }
  if (rule.phase == Phase::kDecode && rule.tokens.min.value_or(1) > 1) {
    return absl::InvalidArgumentError(
        StrCat("can match nothing: decode has one token, not ", *rule.tokens.min, " or more"));
  }
  if (rule.phase == Phase::kPrefill && rule.tokens.max.value_or(2) < 2) {
    return absl::InvalidArgumentError(
        StrCat("can match nothing: prefill has 2 tokens or more, not ", *rule.tokens.max));
  }
  return absl::OkStatus();
}

}  // namespace

std::string_view Name(ShardPolicy::Mode mode) {
  return mode == ShardPolicy::Mode::kExact ? "exact" : "fast";
}

std::string_view Name(Phase phase) {
  constexpr std::string_view kNames[] = {"any", "decode", "prefill"};
  return kNames[static_cast<int>(phase)];
}

absl::Status CheckRule(const Rule& rule) {
  RETURN_IF_ERROR(CheckTexts(rule));
  RETURN_IF_ERROR(CheckTargets(rule));
  RETURN_IF_ERROR(CheckOp(rule));
  RETURN_IF_ERROR(CheckWeightType(rule));
  return CheckBounds(rule);
}

absl::Status CheckTexts(const Policy& policy) {
  for (auto [field, text] : {std::pair{"name", &policy.name}, {"summary", &policy.summary}}) {
    if (!HasControl(*text)) continue;
    return absl::InvalidArgumentError(
        StrCat("the policy has a control character in its ", field, ": ", Quote(*text)));
  }
  return absl::OkStatus();
}

bool OpMatches(std::string_view pattern, std::string_view op, std::string_view family) {
  if (pattern == op || pattern == family) return true;
  return pattern.find_first_of("*?") != std::string_view::npos && GlobMatch(pattern, op);
}

}  // namespace infer
