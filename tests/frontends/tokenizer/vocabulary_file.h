// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "frontends/tokenizer/tokenizer.h"

namespace infer {

// The tokenizer keys of a well-formed GGUF v3 file, for tests: knows no error but a missing file.
struct VocabularyFile {
  std::string bytes;  // the whole file; `data` points into it
  TokenizerData data;
  std::string chat_template;
};

// Null if there is no such file.
std::unique_ptr<const VocabularyFile> LoadVocabularyFile(const std::string& path);

// The tokenizers of the two fixtures, made once per process.
const Tokenizer& Qwen3Tokenizer();
const Tokenizer& TinyTalesTokenizer();

}  // namespace infer
