// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "frontends/families.h"
#include "frontends/gguf/reader.h"
#include "frontends/gguf/weights.h"
#include "frontends/tokenizer/tokenizer.h"

namespace infer {

// An open model file with its weights mapped. Everything else is read on demand.
class ModelFile {
 public:
  // Opens the bundled model if `path` is empty. `families` must outlive it.
  static absl::StatusOr<ModelFile> Open(
      const std::string& path, std::span<const ModelFamily* const> families = AllFamilies());

  const GgufFile& gguf() const { return *gguf_; }
  const GgufWeights& weights() const { return *weights_; }
  // Returns an error if no known family handles the model's architecture.
  absl::StatusOr<const ModelFamily*> Family() const { return FindFamily(*gguf_, families_); }
  absl::StatusOr<ModelConfig> ReadConfig() const;
  // Returns how many tokens the file lists; 0 if it has no tokenizer.
  int64_t CountTokens() const;
  // Reads the tokenizer and checks it as the family requires.
  absl::StatusOr<Tokenizer> ReadTokenizer() const;

 private:
  std::span<const ModelFamily* const> families_;
  std::shared_ptr<const GgufFile> gguf_;
  std::unique_ptr<GgufWeights> weights_;
};

// Returns `prompt`, or, if it is empty, the token that the model's documents begin with, to
// generate text without a prompt.
std::vector<int32_t> PromptOrStart(std::vector<int32_t> prompt, const Vocabulary& vocabulary);

}  // namespace infer
