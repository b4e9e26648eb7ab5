// SPDX-License-Identifier: Apache-2.0
//
// Which flags of infer-run go together.
#include <string>

#include "ir/base/status_macros.h"
#include "ir/base/strings.h"
#include "runtime/stop_strings.h"
#include "tools/cli/exit_code.h"
#include "tools/run/run_options.h"
#include "tools/run/verify_run.h"
#include "tools/trace/trace_file.h"

namespace infer {
namespace {

// Enough to notice a cache that was written wrongly, and only seconds for the scalar loops of a
// 0.6B model.
constexpr int64_t kVerifiedTokens = 8;

absl::Status CheckInspection(const Flags& flags, RunOptions* options) {
  if (options->profile == "-") {
    return UsageError("--profile -: stdout carries the text; name a file");
  }
  if (!options->trace.empty()) RETURN_IF_ERROR(MakeTraceEncoder(options->trace).status());
  const bool profiles = !options->profile.empty() || options->dump_profile;
  if (options->verify_invariance) {
    if (profiles || !options->trace.empty() || options->chat || !options->graph.empty() ||
        !options->verify_against.empty()) {
      return UsageError(
          "--verify-invariance compiles and runs one text by itself; remove --chat, -g, --profile, "
          "--dump-profile, --trace and --verify-against");
    }
    // Several sequences are alive at once, each with its logits.
    options->model.compile.sequences = kInvarianceSequences;
    options->model.compile.logit_rows = kInvarianceSequences;
  }
  if (options->verify_against.empty()) {
    if (!flags.Given("--format") || options->dump_profile) return absl::OkStatus();
    return UsageError("--format applies to --dump-profile and --verify-against only");
  }
  RETURN_IF_ERROR(CheckVerifyTarget(options->verify_against));
  if (profiles || !options->trace.empty()) {
    return UsageError(
        "--verify-against runs steps one at a time, which no profile should show; "
        "remove --profile, --dump-profile and --trace");
  }
  if (options->chat) {
    return UsageError("--verify-against compares one text; give it with -p, -f or --ids");
  }
  if (!flags.Given("--predict")) options->max_tokens = kVerifiedTokens;
  if (options->max_tokens < 0) {
    return UsageError("--verify-against compares a number of tokens; give it with -n");
  }
  return absl::OkStatus();
}

absl::Status CheckPrompt(const Flags& flags, const RunOptions& options) {
  int sources = (options.prompt ? 1 : 0) + (options.prompt_file.empty() ? 0 : 1) +
                (options.ids.empty() ? 0 : 1);
  if (sources > 1) return UsageError("give the prompt with one of -p, -f and --ids");
  if (options.chat && !options.ids.empty()) return UsageError("--chat takes text, not --ids");
  if (options.chat && options.echo) return UsageError("--echo applies to text, not to --chat");
  if (options.keep_newline && (options.prompt || !options.ids.empty())) {
    return UsageError("--keep-newline applies to stdin and -f; -p and --ids are taken as they are");
  }
  for (const char* flag :
       {"--system", "--reasoning", "--think-budget", "--chat-template", "--tools"}) {
    if (options.chat || !flags.Given(flag)) continue;
    return UsageError(StrCat(flag, " applies to --chat only"));
  }
  for (const char* flag : {"--tool-choice", "--bind-tools"}) {
    if (!options.tools.empty() || !flags.Given(flag)) continue;
    return UsageError(StrCat(flag, " applies to the tools of --tools; name their file"));
  }
  const int rules = (options.json_schema.empty() ? 0 : 1) + (options.grammar.empty() ? 0 : 1) +
                    (options.json ? 1 : 0);
  if (rules > 1) return UsageError("give one of --json-schema, --grammar and --json");
  if (rules > 0 && options.ignore_eos) {
    return UsageError("--ignore-eos does not go with a grammar, whose texts end");
  }
  return absl::OkStatus();
}

absl::Status CheckDrafts(const Flags& flags, RunOptions* options) {
  if (options->draft_model.empty()) {
    if (options->spec != Speculation::kDraft) return absl::OkStatus();
    return UsageError("--spec draft needs a model that drafts; give it with --draft-model");
  }
  if (!flags.Given("--spec") || options->spec == Speculation::kDraft) {
    options->spec = Speculation::kDraft;
    return absl::OkStatus();
  }
  // The stronger source decides: `--spec off` switches off what INFER_DRAFT_MODEL asks for.
  const Origin spec = flags.Find("--spec")->origin();
  const Origin model = flags.Find("--draft-model")->origin();
  if (spec == model) return UsageError("--draft-model goes with --spec draft");
  if (spec > model) {
    options->draft_model.clear();
  } else {
    options->spec = Speculation::kDraft;
  }
  return absl::OkStatus();
}

absl::Status CheckGraph(const Flags& flags, const RunOptions& options) {
  if (options.graph.empty()) {
    if (!options.verify_weights) return absl::OkStatus();
    return UsageError("--verify-weights compares with a stored program; give one with -g");
  }
  return RefuseCompileFlags(flags);
}

}  // namespace

absl::Status CompleteOptions(const Flags& flags, RunOptions* options) {
  options->stats_given = flags.Given("--stats");
  if (options->chat && !flags.Given("--predict")) options->max_tokens = -1;
  if (!options->seed_text.empty()) {
    absl::StatusOr<std::optional<uint64_t>> seed = ParseSeed(options->seed_text);
    if (!seed.ok()) return UsageError(StrCat("--seed: ", ToStd(seed.status().message())));
    options->seed = *seed;
  }
  RETURN_IF_ERROR(CheckPrompt(flags, *options));
  RETURN_IF_ERROR(CheckGraph(flags, *options));
  RETURN_IF_ERROR(CheckDrafts(flags, options));
  RETURN_IF_ERROR(CheckInspection(flags, options));
  RETURN_IF_ERROR(CompleteModelFlags(&options->model));
  RETURN_IF_ERROR(AsUsageError(Validate(SamplerFor(*options, ModelFamily()))));
  return AsUsageError(StopStrings::Create(options->stop).status());
}

}  // namespace infer
