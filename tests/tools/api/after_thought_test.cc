// SPDX-License-Identifier: Apache-2.0
#include "tools/api/after_thought.h"

#include <gtest/gtest.h>

#include "frontends/grammar/gbnf.h"
#include "tests/tools/api/constraint_checks.h"
#include "tools/api/grammar_constraint.h"

namespace infer {
namespace {

using test::ExpectConsistent;

int32_t Id(std::string_view text) { return test::Qwen3Token(text); }

AfterThought Yes(const AfterThoughtOptions& options) {
  const auto& words = test::Qwen3GrammarVocabulary();
  return AfterThought(
      options, words,
      std::make_unique<GrammarConstraint>(SharedGrammar{*CompileGbnf("root ::= \"yes\""), words}));
}

TEST(AfterThought, BindsAfterTheThought) {
  AfterThought constraint = Yes({.begin = Id("<think>"), .end = Id("</think>")});
  EXPECT_TRUE(constraint.Allows(Id("<think>")));
  EXPECT_FALSE(constraint.Allows(Id("hello")));  // without a thought the grammar binds at once
  ExpectConsistent(constraint);
  constraint.Accept(Id("<think>"));
  EXPECT_TRUE(constraint.Allows(Id("hello")));
  EXPECT_FALSE(constraint.Allows(Id("<|im_end|>")));
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
  EXPECT_TRUE(constraint.Allows(Id("<|im_end|>")));
}

TEST(AfterThought, BindsAfterAThoughtThatThePromptOpened) {
  AfterThought constraint = Yes({.end = Id("</think>"), .is_open = true});
  EXPECT_TRUE(constraint.Allows(Id("hello")));
  constraint.Accept(Id("</think>"));
  EXPECT_FALSE(constraint.Allows(Id("hello")));
}

TEST(AfterThought, ATextMayEndInItsThoughtIfNothingIsRequired) {
  const AfterThought constraint = Yes({.end = Id("</think>"), .is_open = true, .may_end = true});
  EXPECT_TRUE(constraint.Allows(Id("<|im_end|>")));
  ExpectConsistent(constraint);
}

}  // namespace
}  // namespace infer
