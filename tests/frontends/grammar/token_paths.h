// SPDX-License-Identifier: Apache-2.0
//
// Ways to cut a text into tokens.
#pragma once

#include <cstdint>
#include <random>
#include <string_view>
#include <vector>

#include "frontends/grammar/grammar_vocabulary.h"

namespace infer::test {

// The tokens of a text: one byte each, or of random length.
std::vector<int32_t> SingleByteTokens(const GrammarVocabulary& vocabulary, std::string_view text);
std::vector<int32_t> RandomTokens(const GrammarVocabulary& vocabulary, std::string_view text,
                                  std::mt19937& random);

// The vocabularies of the two fixtures, made once per process.
const std::shared_ptr<const GrammarVocabulary>& Qwen3GrammarVocabulary();
const std::shared_ptr<const GrammarVocabulary>& TinyTalesGrammarVocabulary();

}  // namespace infer::test
