// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "frontends/gguf/reader.h"
#include "frontends/gguf/weights.h"
#include "frontends/qwen3/config.h"
#include "frontends/tokenizer/tokenizer.h"

namespace infer {

// A model file as the tools use it: opened, its weights mapped. Everything else is read on demand.
class ModelFile {
 public:
  // The bundled model if `path` is empty.
  static absl::StatusOr<ModelFile> Open(const std::string& path);

  const GgufFile& gguf() const { return *gguf_; }
  const GgufWeights& weights() const { return *weights_; }
  // The tokenizer, whose ids must all be rows of a token matrix of `vocabulary` rows.
  absl::StatusOr<Tokenizer> ReadTokenizer(int64_t vocabulary) const;

 private:
  std::shared_ptr<const GgufFile> gguf_;
  std::unique_ptr<GgufWeights> weights_;
};

// `prompt`, or, if it is empty, the token that the model's documents begin with: a text from
// nothing.
std::vector<int32_t> PromptOrStart(std::vector<int32_t> prompt, const Vocabulary& vocabulary);

}  // namespace infer
