// SPDX-License-Identifier: Apache-2.0
#include "tools/run/verify_run.h"

#include <cmath>
#include <filesystem>
#include <memory>
#include <system_error>
#include <utility>

#include "ir/base/status_macros.h"
#include "ir/base/strings.h"
#include "passes/policies.h"
#include "runtime/verify/check_invariance.h"
#include "tools/cli/exit_code.h"
#include "tools/cli/flag_text.h"
#include "tools/cli/progress.h"
#include "tools/flags/console_load.h"
#include "tools/verify/comparison_text.h"

namespace infer {

namespace {

// Returns where the name of a policy ends: at the last colon, unless that is part of a path.
size_t EndOfPolicy(std::string_view text) {
  const size_t colon = text.rfind(':');
  if (colon == std::string_view::npos || text.find('/', colon) != std::string_view::npos) {
    return text.size();
  }
  std::error_code error;
  return std::filesystem::exists(std::string(text), error) ? text.size() : colon;
}

}  // namespace

absl::StatusOr<VerifyTarget> ParseVerifyTarget(std::string_view text) {
  const size_t end = EndOfPolicy(text);
  VerifyTarget target{std::string(text.substr(0, end)), std::nullopt};
  if (target.policy.empty()) {
    return UsageError(StrCat("--verify-against ", text, ": names no policy; try reference"));
  }
  if (end == text.size()) return target;
  const std::string_view number = text.substr(end + 1);
  absl::StatusOr<double> tolerance = ParseFloat(number);
  if (!tolerance.ok() || !std::isfinite(*tolerance) || *tolerance < 0) {
    return UsageError(StrCat("--verify-against ", text, ": '", number,
                             "' is not a tolerance; expected 0 or more, such as 1e-4"));
  }
  target.tolerance = *tolerance;
  return target;
}

absl::Status CheckVerifyTarget(std::string_view text) {
  ASSIGN_OR_RETURN(VerifyTarget target, ParseVerifyTarget(text));
  absl::Status found = LoadPolicy(target.policy).status();
  if (found.ok()) return found;
  return {found.code(), StrCat("--verify-against: ", ToStd(found.message()))};
}

absl::StatusOr<CompileModelOptions> OtherCompileOptions(const Program& tested,
                                                        const VerifyTarget& target,
                                                        const CompileModelOptions& options) {
  ASSIGN_OR_RETURN(Policy policy, LoadPolicy(target.policy));
  CompileModelOptions other;
  other.policy = target.policy;
  if (!policy.kv_type && !tested.states.empty()) other.kv_type = tested.states[0].dtype;
  other.context = tested.symbols[Symbol::kS].max;
  other.chunk = tested.symbols[Symbol::kT].max;
  other.logit_rows = tested.symbols[Symbol::kR].max;
  other.skip = options.skip;
  return other;
}

absl::Status VerifyRun(const RunOptions& options, const ModelFile& model,
                       const KernelRegistry& registry, Session* session,
                       std::span<const int32_t> prompt, ToolContext* context) {
  ASSIGN_OR_RETURN(VerifyTarget target, ParseVerifyTarget(options.verify_against));
  ASSIGN_OR_RETURN(CompileModelOptions compile,
                   OtherCompileOptions(session->program(), target, options.model.compile));
  ASSIGN_OR_RETURN(Program program, CompileWithConsole(model, registry, compile, context));
  const std::string expected = program.policy.name;
  EngineOptions other_options{.context = session->context()};
  ASSIGN_OR_RETURN(std::unique_ptr<Session> other,
                   LoadWithConsole(std::move(program), model, registry, other_options,
                                   options.model.pack_cache, context));
  CompareOptions compare;
  compare.tolerance = target.tolerance;
  compare.decode_tokens = options.max_tokens;
  compare.stop = &context->interrupt().stop_flag();
  compare.progress = ProgressReport(&context->console(), "verify", "tokens");
  absl::StatusOr<RunComparison> compared =
      CompareSessions({session, &registry}, {other.get(), &registry}, prompt, compare);
  compare.progress = nullptr;
  if (absl::IsCancelled(compared.status())) return context->interrupt().Check();
  RETURN_IF_ERROR(compared.status());
  const std::string tested = session->program().policy.name;
  std::string text = options.format == ReportForm::kText
                         ? ComparisonText(*compared, tested, expected)
                         : ComparisonJson(*compared, tested, expected);
  RETURN_IF_ERROR(context->out().Write(text + "\n"));
  if (!compared->first) return absl::OkStatus();
  return VerificationFailed(StrCat("policy ", tested, " deviates from ", expected, " first at ",
                                   DeviationText(*compared->first)));
}

absl::Status VerifyInvariance(const Session& session, std::span<const int32_t> prompt,
                              ToolContext* context) {
  InvarianceOptions options;
  options.context = session.program().symbols[Symbol::kS].max / kInvarianceSequences;
  options.sequences = kInvarianceSequences;
  options.stop = &context->interrupt().stop_flag();
  options.progress = ProgressReport(&context->console(), "verify", "schedules");
  absl::StatusOr<InvarianceResult> result = CheckInvariance(session.executable(), prompt, options);
  options.progress = nullptr;
  if (absl::IsCancelled(result.status())) return context->interrupt().Check();
  RETURN_IF_ERROR(result.status());
  if (!result->first) {
    return context->out().Write(StrCat("the logits after ", prompt.size(),
                                       " tokens are the same in ", options.rounds, " schedules of ",
                                       result->calls, " calls\n"));
  }
  const InvarianceResult::Difference& first = *result->first;
  RETURN_IF_ERROR(context->out().Write(
      StrCat("the logits after ", prompt.size(), " tokens differ with ", first.schedule, "\n",
             first.node.empty() ? std::string("every node's rows agree; the logits alone do not\n")
                                : StrCat("first at token ", first.position, " in ", first.node,
                                         " (", first.kernel, ")\n"))));
  return VerificationFailed("the bits of a sequence depend on its calls; compile with --invariant");
}

}  // namespace infer
