// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <string_view>
#include <vector>

#include "frontends/grammar/grammar_vocabulary.h"
#include "runtime/token_constraint.h"
#include "tests/frontends/tokenizer/vocabulary_file.h"

namespace infer::test {

// Qwen3's vocabulary, made once per process.
inline const std::shared_ptr<const GrammarVocabulary>& Qwen3GrammarVocabulary() {
  static const auto* made = new std::shared_ptr<const GrammarVocabulary>(
      GrammarVocabulary::Create(Qwen3Tokenizer().vocabulary()));
  return *made;
}

// The one token that the text is.
inline int32_t Qwen3Token(std::string_view text) {
  const auto ids = Qwen3Tokenizer().Encode(text);
  EXPECT_EQ(ids->size(), 1u) << text;
  return ids->at(0);
}

inline std::vector<int32_t> ForcedTokens(const TokenConstraint& constraint, int64_t most) {
  std::vector<int32_t> tokens;
  constraint.Force(most, &tokens);
  return tokens;
}

// Expects Allows and Refuse to say the same.
inline void ExpectConsistent(const TokenConstraint& constraint) {
  std::vector<float> logits(151936 + 64, 1.0f);  // models have more rows than tokens
  std::vector<bool> allowed;  // before there is a mask, so that each token is followed
  for (int32_t id = 0; id < Qwen3GrammarVocabulary()->token_count(); ++id) {
    allowed.push_back(constraint.Allows(id));
  }
  constraint.Refuse(logits);
  for (size_t id = 0; id < allowed.size(); ++id) ASSERT_EQ(logits[id] == 1.0f, allowed[id]) << id;
}

}  // namespace infer::test
