// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "runtime/verify/compare_sessions.h"
#include "tools/api/compile_model.h"
#include "tools/cli/tool.h"
#include "tools/run/run_options.h"

namespace infer {

// "reference", "simd:0.01": a policy and, after the last colon, a tolerance.
struct VerifyTarget {
  std::string policy;
  std::optional<double> tolerance;
};
// Returns a usage error if the tolerance is not a non-negative number, or if no policy is named.
absl::StatusOr<VerifyTarget> ParseVerifyTarget(std::string_view text);
// As above, and checks that the policy exists, before a model is loaded.
absl::Status CheckVerifyTarget(std::string_view text);

// Returns how the other Program is compiled: with the policy as it is, and otherwise like `tested`,
// so that calls and, if the policy leaves it open, caches are the same.
absl::StatusOr<CompileModelOptions> OtherCompileOptions(const Program& tested,
                                                        const VerifyTarget& target,
                                                        const CompileModelOptions& options);

// Runs the prompt and some tokens with both policies and writes the comparison to stdout. Returns
// an error with exit code 6 if a result exceeds its tolerance.
absl::Status VerifyRun(const RunOptions& options, const ModelFile& model,
                       const KernelRegistry& registry, Session* session,
                       std::span<const int32_t> prompt, ToolContext* context);

// Runs the prompt in random schedules and writes to stdout whether its bits depend on them. Returns
// an error with exit code 6 if they do.
absl::Status VerifyInvariance(const Session& session, std::span<const int32_t> prompt,
                              ToolContext* context);

}  // namespace infer
