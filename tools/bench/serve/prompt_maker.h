// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "runtime/random.h"

namespace infer::load {

// A word with the blank before it, and its length in tokens.
struct PromptWord {
  std::string text;
  int64_t tokens = 1;
};

// The words that prompts are made of, common enough to be a token each in most vocabularies.
std::vector<std::string> CommonWords();

// Makes random texts of a given number of tokens. Texts of words in random order share no prefix
// longer than a few tokens, so that a server's prefix cache gains nothing unless it is asked to.
class PromptMaker {
 public:
  // `overhead` is what a server adds to each text: a template, a token for the beginning.
  PromptMaker(std::vector<PromptWord> words, int64_t overhead);

  // Returns a text that the server counts as `tokens`, or as the least possible if that is more.
  std::string Text(int64_t tokens, Random& random) const {
    return Words(tokens - overhead_, random);
  }
  // Returns a text of this many tokens that stands before another one.
  std::string Prefix(int64_t tokens, Random& random) const { return Words(tokens, random); }

 private:
  std::string Words(int64_t tokens, Random& random) const;

  std::vector<PromptWord> words_;  // shortest first
  int64_t overhead_;
};

}  // namespace infer::load
