// SPDX-License-Identifier: Apache-2.0
#include "tools/api/model_file.h"

#include <array>
#include <filesystem>
#include <fstream>
#include <string_view>
#include <system_error>
#include <utility>

#include "frontends/tokenizer/from_gguf.h"
#include "ir/base/advice.h"
#include "ir/base/status_macros.h"
#include "ir/base/strings.h"
#include "ir/proto/program_file.h"
#include "tools/api/bundled_model.h"

namespace infer {
namespace {

// The frontend recognizes common files that are mistaken for models; this recognizes those that
// infer itself writes. Returns `refusal` for every other file.
absl::Status NameOwnFile(const std::string& path, const absl::Status& refusal) {
  // Opening a pipe would wait for a writer.
  if (std::error_code error; !std::filesystem::is_regular_file(path, error)) return refusal;
  std::array<char, 64> head = {};  // more than the longest format with its tag
  std::ifstream file(path, std::ios::binary);
  file.read(head.data(), head.size());
  const std::string_view format = FormatOf({head.data(), static_cast<size_t>(file.gcount())});
  auto refuse = [&](std::string_view what) {
    return absl::InvalidArgumentError(StrCat(path, ": is ", what, ", where a GGUF model belongs"));
  };
  if (format == kProgramFormat) {
    return WithAdvice(refuse("a compiled Program"), {Advice::kProgramInput});
  }
  if (format == kGraphFormat)
    return refuse("a stored graph of one stage, which is for reading only,");
  if (format == kProfileFormat) return WithAdvice(refuse("a profile"), {Advice::kProfileInput});
  return refusal;
}

}  // namespace

absl::StatusOr<ModelFile> ModelFile::Open(const std::string& path,
                                          std::span<const ModelFamily* const> families) {
  ModelFile model;
  model.families_ = families;
  std::string resolved = path;
  if (path.empty()) {
    ASSIGN_OR_RETURN(resolved, FindBundledModel());
  }
  absl::StatusOr<std::shared_ptr<const GgufFile>> gguf = GgufFile::Open(resolved);
  if (!gguf.ok()) return NameOwnFile(resolved, gguf.status());
  model.gguf_ = *std::move(gguf);
  model.weights_ = std::make_unique<GgufWeights>(model.gguf_);
  return model;
}

absl::StatusOr<ModelConfig> ModelFile::ReadConfig() const {
  ASSIGN_OR_RETURN(const ModelFamily* family, Family());
  return family->read_config(*gguf_);
}

int64_t ModelFile::CountTokens() const {
  absl::StatusOr<std::vector<std::string_view>> tokens =
      gguf_->metadata().GetStrings("tokenizer.ggml.tokens");
  return tokens.ok() ? std::ssize(*tokens) : 0;
}

absl::StatusOr<Tokenizer> ModelFile::ReadTokenizer() const {
  ASSIGN_OR_RETURN(const ModelFamily* family, Family());
  ASSIGN_OR_RETURN(ModelConfig config, family->read_config(*gguf_));
  ASSIGN_OR_RETURN(Tokenizer tokenizer, LoadTokenizer(*gguf_));
  if (absl::Status fits = family->check_tokenizer(tokenizer, config); !fits.ok()) {
    return WithMessage(fits, StrCat(gguf_->path(), ": ", ToStd(fits.message())));
  }
  return tokenizer;
}

std::vector<int32_t> PromptOrStart(std::vector<int32_t> prompt, const Vocabulary& vocabulary) {
  if (prompt.empty()) prompt.push_back(vocabulary.bos().value_or(vocabulary.eos()));
  return prompt;
}

}  // namespace infer
