// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>

#include "frontends/gguf/reader.h"
#include "frontends/tokenizer/tokenizer.h"

namespace infer {

// The tokenizer keys of a fixture. `data` points into the mapped file.
struct VocabularyFixture {
  std::shared_ptr<const GgufFile> file;
  TokenizerData data;
  std::string chat_template;
};

// Ends the process with a message if the file cannot be read: it is part of the tests.
VocabularyFixture LoadVocabularyFixture(const std::string& path);

// The tokenizers of the two fixtures, made once per process.
const Tokenizer& Qwen3Tokenizer();
const Tokenizer& TinyTalesTokenizer();

}  // namespace infer
