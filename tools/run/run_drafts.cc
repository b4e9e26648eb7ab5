// SPDX-License-Identifier: Apache-2.0
#include "tools/run/run_drafts.h"

#include <algorithm>
#include <utility>

#include "ir/base/status_macros.h"
#include "ir/base/strings.h"
#include "runtime/model_drafter.h"
#include "runtime/ngram_drafter.h"
#include "tools/api/compile_to_run.h"
#include "tools/api/drafting.h"
#include "tools/flags/console_load.h"

namespace infer {
namespace {

// A draft is token ids, which must mean the same to both models.
absl::Status CheckVocabularies(const ModelFile& model, const ModelFile& drafting) {
  ASSIGN_OR_RETURN(const Tokenizer tokenizer, model.ReadTokenizer());
  ASSIGN_OR_RETURN(const Tokenizer other, drafting.ReadTokenizer());
  const Vocabulary& tokens = tokenizer.vocabulary();
  const Vocabulary& others = other.vocabulary();
  if (tokens.token_count() != others.token_count()) {
    return absl::InvalidArgumentError(StrCat(drafting.gguf().path(), " cannot draft for ",
                                             model.gguf().path(), ": it has ", others.token_count(),
                                             " tokens instead of ", tokens.token_count()));
  }
  for (int32_t id = 0; id < tokens.token_count(); ++id) {
    if (tokens.text(id) == others.text(id)) continue;
    return absl::InvalidArgumentError(
        StrCat(drafting.gguf().path(), " cannot draft for ", model.gguf().path(), ": token ", id,
               " is ", Quote(others.text(id)), " instead of ", Quote(tokens.text(id))));
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<std::unique_ptr<RunDrafts>> RunDrafts::Start(const RunOptions& options,
                                                            const ModelFile& model,
                                                            const Session& session,
                                                            const KernelRegistry& registry,
                                                            Console* console) {
  if (options.spec == Speculation::kOff) return nullptr;
  const Program& program = session.program();
  if (program.symbols[Symbol::kR].max < 2) {
    console->Warning(
        "--spec is off: the stored program computes the logits of one token only; compile it again "
        "with infer-compile --logit-rows 8");
    return nullptr;
  }
  if (std::string node = NodeThatDraftsChange(program); !node.empty()) {
    console->Warning(
        StrCat("drafts may change the text where two tokens are about as likely: the bits of ",
               node, " depend on the tokens of a call; --invariant avoids that"));
  }
  auto drafts = std::unique_ptr<RunDrafts>(new RunDrafts());
  if (options.spec == Speculation::kDraft) {
    RETURN_IF_ERROR(drafts->LoadModel(options, model, session, registry, console));
  } else {
    drafts->drafter_ = std::make_unique<NgramDrafter>();
  }
  const Program* drafting = drafts->session_ ? &drafts->session_->program() : nullptr;
  drafts->length_ = std::make_unique<DraftLength>(DraftCosts(program, 1, drafting), kUsualDraft);
  return drafts;
}

absl::Status RunDrafts::LoadModel(const RunOptions& options, const ModelFile& model,
                                  const Session& session, const KernelRegistry& registry,
                                  Console* console) {
  ASSIGN_OR_RETURN(ModelFile opened, ModelFile::Open(options.draft_model));
  model_ = std::make_unique<ModelFile>(std::move(opened));
  RETURN_IF_ERROR(CheckVocabularies(model, *model_));
  ASSIGN_OR_RETURN(const ModelFamily* family, model_->Family());
  ASSIGN_OR_RETURN(const ModelConfig config, family->read_config(model_->gguf()));
  CompileModelOptions compile = {.policy = options.model.compile.policy,
                                 .machine = options.model.compile.machine,
                                 .context = std::min(session.context(), config.context),
                                 .chunk = options.model.compile.chunk};
  compile.warn = [console](const std::string& text) { console->Warning(text); };
  ASSIGN_OR_RETURN(Program program, CompileToRun(*model_, registry, compile));
  ASSIGN_OR_RETURN(
      session_, LoadWithConsole(std::move(program), *model_, registry, {.context = compile.context},
                                options.model.pack_cache, console));
  drafter_ = std::make_unique<ModelDrafter>(session_.get());
  return absl::OkStatus();
}

}  // namespace infer
