// SPDX-License-Identifier: Apache-2.0
#include "tools/api/report_finding.h"

#include <string>

#include "ir/base/advice.h"
#include "ir/base/strings.h"
#include "passes/policies.h"
#include "tools/api/error_kind.h"

namespace infer {
namespace {

// Returns whether the user should see a finding. The named policies are written for all models and
// machines, a tuned policy for all models: for these, only a missing target is worth a warning.
bool IsWorthSaying(const PolicyFinding& finding, const CompileModelOptions& options,
                   std::string_view policy) {
  if (finding.is_override || finding.kind == PolicyFinding::Kind::kUnavailable) return true;
  return finding.kind != PolicyFinding::Kind::kFallback && !IsNamedPolicy(options.policy) &&
         policy != kTunedPolicy;
}

}  // namespace

absl::Status ReportFinding(const PolicyFinding& finding, const CompileModelOptions& options,
                           std::string_view policy) {
  if (options.findings != nullptr) options.findings->push_back(finding);
  if (options.findings == nullptr && !IsWorthSaying(finding, options, policy)) {
    return absl::OkStatus();
  }
  std::string text = finding.is_override
                         ? Describe(finding)
                         : StrCat("policy ", options.policy, ", ", Describe(finding));
  const bool does_nothing = finding.kind == PolicyFinding::Kind::kMatchesNothing ||
                            finding.kind == PolicyFinding::Kind::kShadowed;
  if (does_nothing && options.strict) {
    return WithAdvice(finding.is_override ? UsageError(text) : absl::InvalidArgumentError(text),
                      {Advice::kFallback});
  }
  if (options.findings == nullptr && options.warn) options.warn(text);
  return absl::OkStatus();
}

}  // namespace infer
