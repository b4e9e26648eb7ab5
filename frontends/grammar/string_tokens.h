// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "frontends/grammar/regex.h"
#include "frontends/grammar/token_mask.h"
#include "frontends/grammar/token_trie.h"

namespace infer {

// What each token does inside a JSON string, between two characters: stay within it, close it, or
// neither. Found once per vocabulary, so that the mask of a string is a copy and a few tokens
// instead of a walk over the whole vocabulary.
class StringTokens {
 public:
  // A token that closes the string after this many characters.
  struct Closer {
    uint32_t characters;
    int32_t token;
  };

  StringTokens() = default;
  StringTokens(const std::vector<std::pair<std::string, int32_t>>& tokens, int32_t token_count);

  // Adds the tokens that stay within the string and have at most `characters` characters.
  void AddInside(uint32_t characters, TokenMask* mask) const;

  // What follows the closing quote in tokens that close the string; a `token` of the tree is an
  // index of closers().
  const TokenTrie& after_quote() const { return after_quote_; }
  const std::vector<std::vector<Closer>>& closers() const { return closers_; }
  // Those whose last byte is the quote.
  const std::vector<Closer>& plain_closers() const { return plain_closers_; }
  // The same tokens with all their bytes.
  const TokenTrie& whole_closers() const { return whole_closers_; }

 private:
  static constexpr uint32_t kMasks = 33;

  std::vector<TokenMask> inside_;    // of up to `index` characters; the last has no limit
  std::vector<Closer> long_inside_;  // of kMasks - 1 characters or more
  TokenTrie after_quote_;
  TokenTrie whole_closers_;
  std::vector<std::vector<Closer>> closers_;
  std::vector<Closer> plain_closers_;
};

}  // namespace infer
