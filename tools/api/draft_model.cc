// SPDX-License-Identifier: Apache-2.0
#include "tools/api/draft_model.h"

#include <utility>

#include "ir/base/status_macros.h"
#include "ir/base/strings.h"

namespace infer {
namespace {

absl::Status CheckVocabularies(const ModelFile& model, const ModelFile& drafting) {
  ASSIGN_OR_RETURN(const Tokenizer tokenizer, model.ReadTokenizer());
  ASSIGN_OR_RETURN(const Tokenizer other, drafting.ReadTokenizer());
  const Vocabulary& tokens = tokenizer.vocabulary();
  const Vocabulary& others = other.vocabulary();
  const std::string names =
      StrCat(drafting.gguf().path(), " cannot draft for ", model.gguf().path(), ": ");
  if (tokens.token_count() != others.token_count()) {
    return absl::InvalidArgumentError(StrCat(names, "it has ", others.token_count(),
                                             " tokens instead of ", tokens.token_count(),
                                             "; use a model of the same family"));
  }
  for (int32_t id = 0; id < tokens.token_count(); ++id) {
    if (tokens.text(id) == others.text(id)) continue;
    return absl::InvalidArgumentError(StrCat(names, "token ", id, " is ", Quote(others.text(id)),
                                             " instead of ", Quote(tokens.text(id)),
                                             "; use a model of the same family"));
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<DraftModel> OpenDraftModel(const std::string& path, const ModelFile& model) {
  DraftModel drafting;
  ASSIGN_OR_RETURN(ModelFile opened, ModelFile::Open(path));
  drafting.file = std::make_unique<ModelFile>(std::move(opened));
  RETURN_IF_ERROR(CheckVocabularies(model, *drafting.file));
  ASSIGN_OR_RETURN(const ModelFamily* family, drafting.file->Family());
  ASSIGN_OR_RETURN(const ModelConfig config, family->read_config(drafting.file->gguf()));
  drafting.context = config.context;
  return drafting;
}

}  // namespace infer
