// SPDX-License-Identifier: Apache-2.0
#include "tools/model/model_file.h"

#include <utility>

#include "frontends/tokenizer/from_gguf.h"
#include "ir/status_macros.h"
#include "ir/strings.h"
#include "tools/model/bundled_model.h"

namespace infer {

absl::StatusOr<ModelFile> ModelFile::Open(const std::string& path) {
  ModelFile model;
  std::string resolved = path;
  if (path.empty()) {
    ASSIGN_OR_RETURN(resolved, FindBundledModel());
  }
  ASSIGN_OR_RETURN(model.gguf_, GgufFile::Open(resolved));
  model.weights_ = std::make_unique<GgufWeights>(model.gguf_);
  return model;
}

absl::StatusOr<Tokenizer> ModelFile::ReadTokenizer(int64_t vocabulary) const {
  ASSIGN_OR_RETURN(Tokenizer tokenizer, LoadTokenizer(*gguf_));
  if (tokenizer.vocabulary().token_count() > vocabulary) {
    return absl::InvalidArgumentError(
        StrCat(gguf_->path(), ": the tokenizer has ", tokenizer.vocabulary().token_count(),
               " tokens, but the token matrix only ", vocabulary, " rows"));
  }
  return tokenizer;
}

std::vector<int32_t> PromptOrStart(std::vector<int32_t> prompt, const Vocabulary& vocabulary) {
  if (prompt.empty()) prompt.push_back(vocabulary.bos().value_or(vocabulary.eos()));
  return prompt;
}

}  // namespace infer
