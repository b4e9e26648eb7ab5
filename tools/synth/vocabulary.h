// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "tools/synth/gguf_entry.h"

namespace infer {

// Values of tokenizer.ggml.token_type.
enum class SynthTokenType : int32_t { kNormal = 1, kControl = 3, kUserDefined = 4, kUnused = 5 };

// A tokenizer as stored in a GGUF file. tokens and types have one entry for each id.
struct SynthVocabulary {
  std::vector<std::string> tokens;
  std::vector<int32_t> types;
  std::vector<GgufEntry> other_entries;  // every other tokenizer.* key, in file order

  void Add(std::string token, SynthTokenType type) {
    tokens.push_back(std::move(token));
    types.push_back(static_cast<int32_t>(type));
  }
};

// A source of a vocabulary.
class VocabularySource {
 public:
  virtual ~VocabularySource() = default;
  virtual absl::StatusOr<SynthVocabulary> Load() const = 0;
};

// Adds unused entries [PAD<id>], as llama.cpp's converter does if the token matrix has more rows
// than the tokenizer has tokens. Returns an error if there are already more than `tokens`.
absl::Status PadVocabulary(uint32_t tokens, SynthVocabulary* vocabulary);

// Returns all tokenizer.* entries in the order of llama.cpp's converter.
std::vector<GgufEntry> VocabularyEntries(const SynthVocabulary& vocabulary);

}  // namespace infer
