// SPDX-License-Identifier: Apache-2.0
#include "tools/api/answer_rules.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <memory>
#include <vector>

#include "tools/api/model_file.h"

namespace infer {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

class AnswerRulesTest : public ::testing::Test {
 protected:
  AnswerRulesTest() : model_(*ModelFile::Open("")), tokenizer_(*model_.ReadTokenizer()) {
    begin_ = Id("<think>");
    end_ = Id("</think>");
  }
  int32_t Id(const std::string& text) const { return tokenizer_.Encode(text)->at(0); }
  std::vector<int32_t> Forced(const TokenConstraint& constraint) const {
    std::vector<int32_t> tokens;
    constraint.Force(8, &tokens);
    return tokens;
  }

  ModelFile model_;
  Tokenizer tokenizer_;
  int32_t begin_, end_;
};

TEST_F(AnswerRulesTest, AThoughtEndsWhenItsBudgetIsUsedUp) {
  const AnswerRules rules = *AnswerRules::Create({.think_budget = 2}, &tokenizer_);
  const std::unique_ptr<TokenConstraint> constraint = rules.NewConstraint(/*open=*/true);
  const int32_t word = Id(" the");
  for (int i = 0; i < 2; ++i) {
    EXPECT_THAT(Forced(*constraint), IsEmpty());
    EXPECT_TRUE(constraint->Allows(word));
    constraint->Accept(word);
  }
  EXPECT_THAT(Forced(*constraint), ElementsAre(end_));
  EXPECT_FALSE(constraint->Allows(word));
  EXPECT_TRUE(constraint->Allows(end_));
  std::vector<float> logits(static_cast<size_t>(tokenizer_.vocabulary().token_count()), 1.0f);
  constraint->Refuse(logits);
  EXPECT_TRUE(std::isinf(logits[static_cast<size_t>(word)]));
  EXPECT_EQ(logits[static_cast<size_t>(end_)], 1.0f);
  constraint->Accept(end_);
  EXPECT_THAT(Forced(*constraint), IsEmpty());
  EXPECT_TRUE(constraint->Allows(word));
}

TEST_F(AnswerRulesTest, ABudgetOfZeroEndsAThoughtThatTheModelBegins) {
  const AnswerRules rules = *AnswerRules::Create({.think_budget = 0}, &tokenizer_);
  const std::unique_ptr<TokenConstraint> constraint = rules.NewConstraint(/*open=*/false);
  EXPECT_THAT(Forced(*constraint), IsEmpty());
  constraint->Accept(begin_);
  EXPECT_THAT(Forced(*constraint), ElementsAre(end_));
}

TEST_F(AnswerRulesTest, AGrammarBindsAfterTheBoundedThought) {
  const AnswerRules rules =
      *AnswerRules::Create({.grammar = "root ::= \"7\"", .think_budget = 1}, &tokenizer_);
  const std::unique_ptr<TokenConstraint> constraint = rules.NewConstraint(/*open=*/true);
  const int32_t word = Id(" the"), seven = Id("7");
  EXPECT_TRUE(constraint->Allows(word));
  constraint->Accept(word);
  EXPECT_FALSE(constraint->Allows(word));
  constraint->Accept(end_);
  EXPECT_FALSE(constraint->Allows(word));
  EXPECT_TRUE(constraint->Allows(seven));
}

TEST_F(AnswerRulesTest, AGrammarBindsTheFirstTokenOfATextWithoutThoughts) {
  for (const bool may_think : {false, true}) {
    const AnswerRules rules =
        *AnswerRules::Create({.grammar = "root ::= \"7\"", .may_think = may_think}, &tokenizer_);
    const std::unique_ptr<TokenConstraint> constraint = rules.NewConstraint(/*open=*/false);
    EXPECT_EQ(constraint->Allows(begin_), may_think);
    EXPECT_TRUE(constraint->Allows(Id("7")));
  }
}

TEST_F(AnswerRulesTest, SaysWhereASchemaIsWrong) {
  const absl::Status status =
      AnswerRules::Create({.json_schema = R"({"type": "object", "not": {}})"}, &tokenizer_)
          .status();
  EXPECT_THAT(std::string(status.message()), HasSubstr("/not"));
}

}  // namespace
}  // namespace infer
