// SPDX-License-Identifier: Apache-2.0
#include "tools/api/grammar_constraint.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "frontends/grammar/gbnf.h"
#include "frontends/grammar/json_schema.h"
#include "runtime/random.h"
#include "runtime/sampler.h"
#include "tests/tools/api/constraint_checks.h"

namespace infer {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

const std::shared_ptr<const GrammarVocabulary>& Words() { return test::Qwen3GrammarVocabulary(); }
int32_t TokenId(std::string_view text) { return test::Qwen3Token(text); }
std::vector<int32_t> Forced(const TokenConstraint& constraint, int64_t most) {
  return test::ForcedTokens(constraint, most);
}

TEST(GrammarConstraint, EndsWhereTheGrammarEnds) {
  GrammarConstraint constraint({*CompileGbnf("root ::= \"yes\" | \"no\""), Words()});
  const int32_t end = Words()->end_ids()[0];
  EXPECT_FALSE(constraint.Allows(end));
  EXPECT_FALSE(constraint.Allows(TokenId("<think>")));
  EXPECT_TRUE(constraint.Allows(TokenId("yes")));
  EXPECT_TRUE(constraint.Allows(TokenId("y")));
  EXPECT_FALSE(constraint.Allows(TokenId("maybe")));
  test::ExpectConsistent(constraint);
  constraint.Accept(TokenId("yes"));
  EXPECT_TRUE(constraint.IsComplete());
  EXPECT_TRUE(constraint.Allows(end));
  EXPECT_FALSE(constraint.Allows(TokenId("yes")));
  test::ExpectConsistent(constraint);
}

TEST(GrammarConstraint, ForcesTheCanonicalTokensOfWhatMustFollow) {
  const auto grammar = *CompileJsonSchema(
      R"({"properties": {"temperature": {"type": "integer"}}, "required": ["temperature"],
          "additionalProperties": false, "type": "object"})");
  GrammarConstraint constraint({grammar, Words(), &Qwen3Tokenizer()});
  EXPECT_THAT(Forced(constraint, 7), IsEmpty());  // { might be followed by a space, a line, a quote
  constraint.Accept(TokenId("{\""));
  // The quote and colon after it could become one token with what follows.
  EXPECT_THAT(Forced(constraint, 7), ElementsAre(TokenId("temperature")));
  EXPECT_THAT(Forced(constraint, 0), IsEmpty());
  constraint.Accept(TokenId("temperature"));
  EXPECT_THAT(Forced(constraint, 7), IsEmpty());
  EXPECT_TRUE(constraint.Allows(TokenId("\":")));
}

// Asking for the likeliest tokens one by one gives what a mask and then the filters give.
TEST(GrammarConstraint, VerifiedTopKEqualsTheMask) {
  struct MaskOnly : TokenConstraint {
    explicit MaskOnly(const GrammarConstraint& of) : inner(of) {}
    void Force(int64_t, std::vector<int32_t>*) const override {}
    bool Allows(int32_t) const override { return false; }  // sends the sampler to the mask
    void Refuse(std::span<float> logits) const override { inner.Refuse(logits); }
    void Accept(int32_t) override {}
    const GrammarConstraint& inner;
  };
  const auto grammar = *CompileJsonSchema(
      R"({"properties": {"name": {"type": "string", "maxLength": 30}, "n": {"type": "number"}},
          "type": "object", "additionalProperties": false})");
  Random random(3);
  for (const double temperature : {0.0, 0.8}) {
    for (const int32_t top_k : {1, 20, 400}) {
      GrammarConstraint constraint({grammar, Words()});
      const MaskOnly masked(constraint);
      const SamplerOptions options = {.temperature = temperature, .top_k = top_k, .seed = 5};
      Sampler one = *Sampler::Create(options, Words()->token_count());
      Sampler other = *Sampler::Create(options, Words()->token_count());
      std::vector<float> logits(static_cast<size_t>(Words()->token_count()));
      for (int step = 0; step < 12; ++step) {
        for (float& logit : logits) {
          logit = static_cast<float>(std::floor(40 * random.NextUnit()));  // with many ties
        }
        const auto a = one.Sample(logits, &constraint);
        const auto b = other.Sample(logits, &masked);
        ASSERT_TRUE(a.ok()) << a.status();
        ASSERT_TRUE(b.ok()) << b.status();
        EXPECT_EQ(a->id, b->id);
        EXPECT_EQ(a->probability, b->probability);
        if (std::ranges::find(Words()->end_ids(), a->id) != Words()->end_ids().end()) break;
        constraint.Accept(a->id);
      }
    }
  }
}

}  // namespace
}  // namespace infer
