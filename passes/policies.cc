// SPDX-License-Identifier: Apache-2.0
#include "passes/policies.h"

#include <fstream>
#include <iterator>
#include <string>

#include "ir/strings.h"

namespace infer {

absl::StatusOr<Policy> LoadPolicy(std::string_view name_or_path) {
  std::string names;
  for (const NamedPolicyText& policy : NamedPolicies()) {
    if (policy.name == name_or_path) {
      return ParsePolicy(policy.textproto, StrCat("policy ", policy.name));
    }
    StrAppend(&names, names.empty() ? "" : ", ", policy.name);
  }
  std::ifstream file{std::string(name_or_path)};
  if (!file) {
    return absl::NotFoundError(
        StrCat("policy ", name_or_path, " is neither a file nor one of: ", names));
  }
  std::string text{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  return ParsePolicy(text, name_or_path);
}

}  // namespace infer
