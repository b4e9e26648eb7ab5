// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "frontends/grammar/string_tokens.h"
#include "frontends/grammar/token_trie.h"
#include "frontends/tokenizer/vocabulary.h"

namespace infer {

// A vocabulary as grammars need it: the bytes of the tokens, as a list and as a tree. Made once per
// model, in about 0.1 s for 150,000 tokens; immutable. Control and user-defined tokens have no
// bytes here: no grammar allows them, except the end tokens where a text may end.
class GrammarVocabulary {
 public:
  static std::shared_ptr<const GrammarVocabulary> Create(const Vocabulary& vocabulary);

  int32_t token_count() const { return static_cast<int32_t>(offsets_.size() - 1); }
  // Empty for tokens that no grammar allows.
  std::string_view bytes(int32_t token) const {
    return std::string_view(arena_).substr(offsets_[token], offsets_[token + 1] - offsets_[token]);
  }
  const TokenTrie& trie() const { return trie_; }
  const StringTokens& strings() const { return strings_; }
  const std::vector<int32_t>& end_ids() const { return end_ids_; }
  // Tokens of one or two line ends, which models write between the parts of an answer.
  const std::vector<int32_t>& line_breaks() const { return line_breaks_; }

 private:
  GrammarVocabulary() = default;

  std::string arena_;
  std::vector<uint32_t> offsets_;
  TokenTrie trie_;
  StringTokens strings_;
  std::vector<int32_t> end_ids_;
  std::vector<int32_t> line_breaks_;
};

}  // namespace infer
