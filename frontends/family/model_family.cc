// SPDX-License-Identifier: Apache-2.0
#include "frontends/family/model_family.h"

#include <algorithm>

#include "frontends/gguf/printable.h"
#include "ir/base/status_macros.h"
#include "ir/base/strings.h"

namespace infer {

absl::StatusOr<const ModelFamily*> FindFamily(const GgufFile& file,
                                              std::span<const ModelFamily* const> families) {
  constexpr std::string_view kKey = "general.architecture";
  const Metadata& metadata = file.metadata();
  ASSIGN_OR_RETURN(std::string_view found, metadata.GetString(kKey));
  std::string known;
  for (const ModelFamily* family : families) {
    for (std::string_view architecture : family->architectures) {
      if (architecture == found) return family;
      StrAppend(&known, known.empty() ? "" : ", ", Quoted(architecture));
    }
  }
  return metadata.InvalidValue(
      kKey, StrCat("the model is of architecture ", Quoted(found), "; this runtime runs ", known,
                   ": convert or download such a file"));
}

absl::Status CheckTokenizerFits(const Tokenizer& tokenizer, const ModelConfig& config) {
  if (tokenizer.vocabulary().token_count() <= config.vocabulary) return absl::OkStatus();
  return absl::InvalidArgumentError(
      StrCat("the tokenizer has ", tokenizer.vocabulary().token_count(),
             " tokens, but the token matrix has only ", config.vocabulary, " rows"));
}

}  // namespace infer
