// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <utility>

#include "tools/synth/vocabulary.h"

namespace infer {

// The tokenizer of an existing GGUF file, copied unchanged: every tokenizer.* entry, and nothing
// else of the file. Tensors, if there are any, are not read.
class VocabularyFile : public VocabularySource {
 public:
  explicit VocabularyFile(std::string path) : path_(std::move(path)) {}
  // Returns kNotFound if the file cannot be opened, kInvalidArgument if it is not a GGUF v2 or v3
  // file or has no token list.
  absl::StatusOr<SynthVocabulary> Load() const override;

 private:
  std::string path_;
};

}  // namespace infer
