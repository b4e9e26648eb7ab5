// SPDX-License-Identifier: Apache-2.0
//
// Vocabularies that need no download: they encode and decode any text, but no real model uses them.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tools/synth/vocabulary.h"

namespace infer {

// The 256 bytes, then <|endoftext|> 256, <|im_start|> 257, <|im_end|> 258 and the tool and thinking
// markers; no merges, so a token is a byte.
class SmallVocabulary : public VocabularySource {
 public:
  absl::StatusOr<SynthVocabulary> Load() const override;
};

// Has as many tokens and merges as Qwen3's, with its special tokens at their ids: the 256 bytes,
// 151,387 random pieces of letters with the merge that makes each, and the 26 special tokens.
class Qwen3SizedVocabulary : public VocabularySource {
 public:
  explicit Qwen3SizedVocabulary(uint64_t seed) : seed_(seed) {}
  absl::StatusOr<SynthVocabulary> Load() const override;

 private:
  uint64_t seed_;
};

// Has as many tokens as Llama 3's, with its special tokens at their ids: the 256 bytes, 127,744
// random pieces of letters, each with one merge (the original has several for some), and 256
// special tokens.
class Llama3SizedVocabulary : public VocabularySource {
 public:
  explicit Llama3SizedVocabulary(uint64_t seed) : seed_(seed) {}
  absl::StatusOr<SynthVocabulary> Load() const override;

 private:
  uint64_t seed_;
};

// Returns the text of each byte in a byte-level vocabulary, in id order: printable characters stand
// for themselves and come first; the other bytes are the code points from 256 on.
std::vector<std::string> ByteTokens();

}  // namespace infer
