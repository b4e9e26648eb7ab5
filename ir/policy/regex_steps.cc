// SPDX-License-Identifier: Apache-2.0
#include <memory>

#include "ir/base/strings.h"
#include "ir/graph/attr.h"
#include "ir/policy/policy.h"

namespace infer {

void CountRegexSteps(Policy* policy) {
  const auto steps = std::make_shared<RegexSteps>();
  for (Rule& rule : policy->rules) {
    absl::StatusOr<NameRegex> counted = NameRegex::Compile(rule.node_regex.text(), steps);
    if (counted.ok()) rule.node_regex = *std::move(counted);  // it was compiled before
  }
}

absl::Status CheckRegexSteps(const Policy& policy) {
  for (const Rule& rule : policy.rules) {
    const absl::Status status = rule.node_regex.status();
    if (status.ok()) continue;
    return absl::InvalidArgumentError(StrCat("policy ", policy.name, ", rule ", Quote(rule.name),
                                             ": node_regex: ", ToStd(status.message())));
  }
  return absl::OkStatus();
}

}  // namespace infer
