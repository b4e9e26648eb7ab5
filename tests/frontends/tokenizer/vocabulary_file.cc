// SPDX-License-Identifier: Apache-2.0
#include "tests/frontends/tokenizer/vocabulary_file.h"

#include <cstdio>
#include <cstdlib>

#include "frontends/tokenizer/from_gguf.h"

namespace infer {
namespace {

template <class T>
T Must(absl::StatusOr<T> value) {
  if (!value.ok()) {
    std::fprintf(stderr, "%s\n", value.status().ToString().c_str());
    std::exit(1);
  }
  return *std::move(value);
}

const Tokenizer& Load(const std::string& path) {
  return *new Tokenizer(Must(Tokenizer::Create(LoadVocabularyFixture(path).data)));
}

}  // namespace

VocabularyFixture LoadVocabularyFixture(const std::string& path) {
  VocabularyFixture fixture;
  fixture.file = Must(GgufFile::Open(path));
  fixture.data = Must(ReadTokenizerData(*fixture.file));
  fixture.chat_template = Must(fixture.file->metadata().GetStringOr("tokenizer.chat_template", ""));
  return fixture;
}

const Tokenizer& Qwen3Tokenizer() {
  static const Tokenizer& tokenizer = Load(INFER_TEST_DATA "/qwen3-vocab.gguf");
  return tokenizer;
}

const Tokenizer& TinyTalesTokenizer() {
  static const Tokenizer& tokenizer = Load(INFER_SOURCE_DIR "/tools/assets/tiny-tales-q8_0.gguf");
  return tokenizer;
}

}  // namespace infer
