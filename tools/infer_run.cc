// SPDX-License-Identifier: Apache-2.0
#include <memory>

#include "ir/base/status_macros.h"
#include "tools/cli/tool.h"
#include "tools/flags/rank_run.h"
#include "tools/run/chat_session.h"
#include "tools/run/run_options.h"
#include "tools/run/runner.h"

namespace infer {
namespace {

absl::Status RunMain(ToolContext& context) {
  RunOptions options;
  Flags flags("infer-run", "Generate text from a model.");
  RegisterFlags(flags, &options);
  ASSIGN_OR_RETURN(bool proceed, context.Parse(flags));
  if (!proceed) return absl::OkStatus();
  RETURN_IF_ERROR(CompleteOptions(flags, &options));
  RETURN_IF_ERROR(StartRanks(&context));
  const ShardRequest& shard = options.model.compile.shard;
  if (options.spec == Speculation::kDraft) RETURN_IF_ERROR(RefuseRanks("--spec draft", shard));
  const bool verifies = options.verify_invariance || !options.verify_against.empty();
  if (verifies) {
    RETURN_IF_ERROR(
        RefuseRanks(options.verify_invariance ? "--verify-invariance" : "--verify-against", shard));
  }
  ASSIGN_OR_RETURN(std::unique_ptr<Runner> runner, Runner::Load(options, context));
  if (verifies) return runner->Verify();
  absl::Status status =
      options.chat ? RunChat(options, runner.get(), &context) : runner->Complete();
  if (!status.ok() && !absl::IsCancelled(status)) return status;
  // An interrupted run has statistics too.
  runner->PrintStats();
  absl::Status recorded = runner->FinishRecording();
  return status.ok() ? recorded : status;
}

}  // namespace

extern const Tool kInferRun = {"infer-run", "run", "Generate text from a model", RunMain};

}  // namespace infer
