// SPDX-License-Identifier: Apache-2.0
#include "tools/synth/vocabulary.h"

#include <string_view>

#include "ir/base/strings.h"

namespace infer {
namespace {

// Returns whether the converter writes the key before the token list.
bool ComesFirst(std::string_view key) {
  return key == "tokenizer.ggml.model" || key == "tokenizer.ggml.pre";
}

}  // namespace

absl::Status PadVocabulary(uint32_t tokens, SynthVocabulary* vocabulary) {
  if (vocabulary->tokens.size() > tokens) {
    return absl::InvalidArgumentError(StrCat("vocabulary: ", vocabulary->tokens.size(),
                                             " tokens do not fit in the ", tokens,
                                             " requested; request at least as many"));
  }
  while (vocabulary->tokens.size() < tokens) {
    vocabulary->Add(StrCat("[PAD", vocabulary->tokens.size(), "]"), SynthTokenType::kUnused);
  }
  return absl::OkStatus();
}

std::vector<GgufEntry> VocabularyEntries(const SynthVocabulary& vocabulary) {
  std::vector<GgufEntry> entries;
  for (const GgufEntry& entry : vocabulary.other_entries) {
    if (ComesFirst(entry.key)) entries.push_back(entry);
  }
  entries.push_back(StringsEntry("tokenizer.ggml.tokens", vocabulary.tokens));
  entries.push_back(Int32sEntry("tokenizer.ggml.token_type", vocabulary.types));
  for (const GgufEntry& entry : vocabulary.other_entries) {
    if (!ComesFirst(entry.key)) entries.push_back(entry);
  }
  return entries;
}

}  // namespace infer
