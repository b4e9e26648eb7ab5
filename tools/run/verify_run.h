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

// "reference", "simd:0.01": a policy and, behind the last colon, a tolerance.
struct VerifyTarget {
  std::string policy;
  std::optional<double> tolerance;
};
// A usage error if what stands for a tolerance is no number from 0 on, or no policy is named.
absl::StatusOr<VerifyTarget> ParseVerifyTarget(std::string_view text);
// The same, and whether there is such a policy: known before a model is loaded.
absl::Status CheckVerifyTarget(std::string_view text);

// How the other Program is compiled: with the policy as it stands, and otherwise as `tested` was,
// so that calls and, if the policy leaves it open, caches are the same.
absl::StatusOr<CompileModelOptions> OtherCompileOptions(const Program& tested,
                                                        const VerifyTarget& target,
                                                        const CompileModelOptions& options);

// Runs the prompt and some tokens with both, writes the comparison to stdout. An error with exit
// code 6 if a result is beyond its tolerance.
absl::Status VerifyRun(const RunOptions& options, const ModelFile& model,
                       const KernelRegistry& registry, Session* session,
                       std::span<const int32_t> prompt, ToolContext* context);

}  // namespace infer
