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
#include "tests/frontends/tokenizer/vocabulary_file.h"

namespace infer {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

const std::shared_ptr<const GrammarVocabulary>& Words() {
  static const auto* made = new std::shared_ptr<const GrammarVocabulary>(
      GrammarVocabulary::Create(Qwen3Tokenizer().vocabulary()));
  return *made;
}

int32_t Id(std::string_view text) {
  const auto ids = Qwen3Tokenizer().Encode(text);
  EXPECT_EQ(ids->size(), 1u) << text;
  return ids->at(0);
}

std::vector<int32_t> Forced(const GrammarConstraint& constraint, int64_t most) {
  std::vector<int32_t> tokens;
  constraint.Force(most, &tokens);
  return tokens;
}

// Allows and Refuse say the same.
void ExpectConsistent(const GrammarConstraint& constraint) {
  std::vector<float> logits(151936 + 64, 1.0f);  // models have more rows than tokens
  constraint.Refuse(logits);
  for (size_t id = 0; id < logits.size(); ++id) {
    ASSERT_EQ(logits[id] == 1.0f, constraint.Allows(static_cast<int32_t>(id))) << id;
  }
}

TEST(GrammarConstraint, EndsWhereTheGrammarEnds) {
  GrammarConstraint constraint(*CompileGbnf("root ::= \"yes\" | \"no\""), Words());
  const int32_t end = Words()->end_ids()[0];
  EXPECT_FALSE(constraint.Allows(end));
  EXPECT_FALSE(constraint.Allows(Id("<think>")));
  EXPECT_TRUE(constraint.Allows(Id("yes")));
  EXPECT_TRUE(constraint.Allows(Id("y")));
  EXPECT_FALSE(constraint.Allows(Id("maybe")));
  ExpectConsistent(constraint);
  constraint.Accept(Id("yes"));
  EXPECT_TRUE(constraint.IsComplete());
  EXPECT_TRUE(constraint.Allows(end));
  EXPECT_FALSE(constraint.Allows(Id("yes")));
  ExpectConsistent(constraint);
}

TEST(GrammarConstraint, BindsAfterTheThought) {
  const GrammarConstraintOptions options = {.thought_begin = Id("<think>"),
                                            .thought_end = Id("</think>")};
  GrammarConstraint constraint(*CompileGbnf("root ::= \"yes\""), Words(), options);
  EXPECT_TRUE(constraint.Allows(Id("<think>")));
  EXPECT_FALSE(constraint.Allows(Id("hello")));  // without a thought the grammar binds at once
  ExpectConsistent(constraint);
  constraint.Accept(Id("<think>"));
  EXPECT_TRUE(constraint.Allows(Id("hello")));
  EXPECT_FALSE(constraint.Allows(Words()->end_ids()[0]));
  ExpectConsistent(constraint);
  constraint.Accept(Id("hello"));
  constraint.Accept(Id("</think>"));
  EXPECT_TRUE(constraint.Allows(Id("\n\n")));
  EXPECT_TRUE(constraint.Allows(Id("yes")));
  EXPECT_FALSE(constraint.Allows(Id("hello")));
  ExpectConsistent(constraint);
  constraint.Accept(Id("\n\n"));
  EXPECT_FALSE(constraint.Allows(Id("\n\n")));
  constraint.Accept(Id("yes"));
  EXPECT_TRUE(constraint.IsComplete());
}

TEST(GrammarConstraint, BindsAfterAThoughtThatThePromptOpened) {
  GrammarConstraint constraint(*CompileGbnf("root ::= \"yes\""), Words(),
                               {.thought_end = Id("</think>"), .thought_is_open = true});
  EXPECT_TRUE(constraint.Allows(Id("hello")));
  constraint.Accept(Id("</think>"));
  EXPECT_FALSE(constraint.Allows(Id("hello")));
}

TEST(GrammarConstraint, ForcesTheCanonicalTokensOfWhatMustFollow) {
  const auto grammar = *CompileJsonSchema(
      R"({"properties": {"temperature": {"type": "integer"}}, "required": ["temperature"],
          "additionalProperties": false, "type": "object"})");
  GrammarConstraint constraint(grammar, Words(), {.tokenizer = &Qwen3Tokenizer()});
  EXPECT_THAT(Forced(constraint, 7), IsEmpty());  // { might be followed by a space, a line, a quote
  constraint.Accept(Id("{\""));
  // The quote and colon after it could become one token with what follows.
  EXPECT_THAT(Forced(constraint, 7), ElementsAre(Id("temperature")));
  EXPECT_THAT(Forced(constraint, 0), IsEmpty());
  constraint.Accept(Id("temperature"));
  EXPECT_THAT(Forced(constraint, 7), IsEmpty());
  EXPECT_TRUE(constraint.Allows(Id("\":")));
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
      GrammarConstraint constraint(grammar, Words());
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
