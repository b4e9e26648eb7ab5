// SPDX-License-Identifier: Apache-2.0
#include "passes/policies.h"

#include <algorithm>
#include <fstream>
#include <string>
#include <vector>

#include "ir/base/nearest.h"
#include "ir/base/strings.h"
#include "ir/policy/policy_text.h"

namespace infer {

bool IsNamedPolicy(std::string_view name) {
  auto same = [&](const NamedPolicyText& policy) { return policy.name == name; };
  return std::ranges::any_of(NamedPolicies(), same);
}

absl::StatusOr<Policy> LoadPolicy(std::string_view name_or_path) {
  std::string names;
  std::vector<std::string_view> known;
  for (const NamedPolicyText& policy : NamedPolicies()) {
    if (policy.name == name_or_path) {
      return ParsePolicy(policy.textproto, StrCat("policy ", policy.name));
    }
    StrAppend(&names, names.empty() ? "" : ", ", policy.name);
    known.push_back(policy.name);
  }
  std::ifstream file{std::string(name_or_path)};
  if (!file) {
    return absl::NotFoundError(StrCat("policy ", name_or_path, " is neither a file nor one of: ",
                                      names, DidYouMean(name_or_path, known)));
  }
  // One byte more than a policy may have, so that ParsePolicy reports a file that is too large.
  std::string text(kMaxPolicyBytes + 1, '\0');
  file.read(text.data(), static_cast<std::streamsize>(text.size()));
  if (file.bad()) {
    return absl::InvalidArgumentError(StrCat("policy ", name_or_path,
                                             " cannot be read; expected a ",
                                             "file with a policy or one of: ", names));
  }
  text.resize(static_cast<size_t>(file.gcount()));
  return ParsePolicy(text, name_or_path);
}

Policy WithCollectives(Policy policy) {
  if (policy.shard.ranks < 2) return policy;
  Rule rule;
  rule.name = "collectives";
  rule.op = "all_*";
  for (const TargetRecord& record : kTargets) {
    if (record.runs_only_collectives) rule.targets.push_back(record.target);
  }
  rule.is_override = true;
  policy.rules.insert(policy.rules.begin(), std::move(rule));
  return policy;
}

}  // namespace infer
