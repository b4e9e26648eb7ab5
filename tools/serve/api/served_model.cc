// SPDX-License-Identifier: Apache-2.0
#include "tools/serve/api/served_model.h"

#include <algorithm>
#include <ctime>
#include <utility>

#include "ir/base/status_macros.h"
#include "ir/base/strings.h"

namespace infer::serve {
absl::StatusOr<std::unique_ptr<ServedModel>> ServedModel::Create(
    const ModelFile& file, const ServedModelOptions& options) {
  ASSIGN_OR_RETURN(const ModelFamily* family, file.Family());
  ASSIGN_OR_RETURN(ModelConfig config, file.ReadConfig());
  ASSIGN_OR_RETURN(Tokenizer tokenizer, file.ReadTokenizer());
  std::string chat_template = options.chat_template;
  if (chat_template.empty()) {
    ASSIGN_OR_RETURN(std::string_view own,
                     file.gguf().metadata().GetStringOr("tokenizer.chat_template", ""));
    chat_template = own;
  }
  return std::unique_ptr<ServedModel>(
      new ServedModel(family, std::move(config), std::move(tokenizer), chat_template, options));
}

ServedModel::ServedModel(const ModelFamily* family, ModelConfig config, Tokenizer tokenizer,
                         std::string_view chat_template, const ServedModelOptions& options)
    : options_(options),
      names_(options.names),
      family_(family),
      config_(std::move(config)),
      tokenizer_(std::move(tokenizer)),
      chat_(chat_template, family->chat, tokenizer_.vocabulary()),
      thought_end_(tokenizer_.SpecialTokenId("</think>")),
      created_(std::time(nullptr)) {
  if (names_.empty()) names_.push_back(config_.name);
}

bool ServedModel::IsNamed(std::string_view name) const {
  return std::ranges::find(names_, name) != names_.end();
}

}  // namespace infer::serve
