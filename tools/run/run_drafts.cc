// SPDX-License-Identifier: Apache-2.0
#include "tools/run/run_drafts.h"

#include <algorithm>
#include <utility>

#include "ir/base/status_macros.h"
#include "ir/base/strings.h"
#include "runtime/model_drafter.h"
#include "runtime/ngram_drafter.h"
#include "tools/api/drafting.h"
#include "tools/flags/console_load.h"
#include "tools/run/report.h"

namespace infer {

absl::StatusOr<std::unique_ptr<RunDrafts>> RunDrafts::Open(const RunOptions& options,
                                                           const ModelFile& model,
                                                           const Program& program,
                                                           Console* console) {
  if (options.spec == Speculation::kOff) return nullptr;
  if (program.symbols[Symbol::kR].max < 2) {
    console->Warning(options.graph.empty()
                         ? "--spec is off: a call of one token has no room for a draft; use a "
                           "larger --ubatch-size"
                         : "--spec is off: the stored program computes the logits of one token "
                           "only; compile it again with infer-compile --logit-rows 8");
    return nullptr;
  }
  if (std::string warning = DraftWarning(program); !warning.empty()) {
    console->Warning(
        StrCat(warning, options.graph.empty() ? " (--invariant)" : " (infer-compile --invariant)"));
  }
  auto drafts = std::unique_ptr<RunDrafts>(new RunDrafts());
  if (options.spec == Speculation::kDraft) {
    ASSIGN_OR_RETURN(drafts->model_, OpenDraftModel(options.draft_model, model));
  }
  return drafts;
}

absl::Status RunDrafts::Load(const RunOptions& options, const Session& session,
                             const KernelRegistry& registry, ToolContext* context) {
  const Program* drafting = nullptr;
  if (model_.file == nullptr) {
    drafter_ = std::make_unique<NgramDrafter>(session.context());
  } else {
    CompileModelOptions compile = {.policy = options.model.compile.policy,
                                   .machine = options.model.compile.machine,
                                   .context = std::min(session.context(), model_.context),
                                   .chunk = options.model.compile.chunk};
    ASSIGN_OR_RETURN(Program program, CompileWithConsole(*model_.file, registry, compile, context));
    ASSIGN_OR_RETURN(
        session_, LoadWithConsole(std::move(program), *model_.file, registry,
                                  {.context = compile.context}, options.model.pack_cache, context));
    drafter_ = std::make_unique<ModelDrafter>(session_.get(), session.vocabulary());
    drafting = &session_->program();
    context->console().Verbose(DraftText(*model_.file, *session_, registry));
  }
  length_ = std::make_unique<DraftLength>(DraftCosts(session.program(), 1, drafting), kUsualDraft);
  return absl::OkStatus();
}

}  // namespace infer
