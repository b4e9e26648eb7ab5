// SPDX-License-Identifier: Apache-2.0
#include "tools/api/tool_constraint.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "frontends/grammar/gbnf.h"
#include "frontends/grammar/tool_call_grammar.h"
#include "tests/tools/api/constraint_checks.h"

namespace infer {
namespace {

using test::ExpectConsistent;
using test::ForcedTokens;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

int32_t IdOf(std::string_view text) { return test::Qwen3Token(text); }

class ToolConstraintTest : public ::testing::Test {
 protected:
  ToolConstraint Make(const ToolConstraintOptions& given = {}, const char* content = nullptr) {
    ToolConstraintOptions options = given;
    options.call_begin = begin_;
    options.call_end = end_;
    std::unique_ptr<TokenConstraint> inner;
    if (content != nullptr) {
      inner = std::make_unique<GrammarConstraint>(SharedGrammar{*CompileGbnf(content), words_});
    }
    return ToolConstraint(options, calls_, std::move(inner));
  }
  // Follows the text token by token; returns whether all of it was allowed.
  static bool Follows(ToolConstraint& constraint, const std::string& text) {
    const std::vector<int32_t> ids = *Qwen3Tokenizer().Encode(text);
    for (const int32_t id : ids) {
      if (!constraint.Allows(id)) return false;
      constraint.Accept(id);
    }
    return true;
  }

  const std::shared_ptr<const GrammarVocabulary>& words_ = test::Qwen3GrammarVocabulary();
  int32_t begin_ = IdOf("<tool_call>"), end_ = IdOf("</tool_call>"), stop_ = IdOf("<|im_end|>");
  std::vector<ToolSchema> tools_ = {
      {"weather", R"({"type": "object", "properties": {"city": {"enum": ["Rome", "Paris"]}},
                      "required": ["city"], "additionalProperties": false})"},
      {"time"}};
  SharedGrammar calls_ = {*CompileToolCall(tools_, ToolCallForm::kJson), words_, &Qwen3Tokenizer(),
                          std::make_shared<MaskCache>()};
  const std::string rome_ =
      "<tool_call>\n{\"name\": \"weather\", \"arguments\": {\"city\": \"Rome\"}}\n</tool_call>";
};

TEST_F(ToolConstraintTest, BindsCallsAndNothingElse) {
  ToolConstraint constraint = Make();
  ExpectConsistent(constraint);
  EXPECT_TRUE(Follows(constraint, "Let me look. {\"name\": 7}\n"));
  EXPECT_TRUE(constraint.Allows(stop_));
  EXPECT_TRUE(Follows(constraint, rome_));
  ExpectConsistent(constraint);
  EXPECT_TRUE(Follows(constraint, "\n" + rome_ + " Done."));
  EXPECT_TRUE(constraint.Allows(stop_));
}

TEST_F(ToolConstraintTest, RefusesWhatTheSchemaDoes) {
  for (const char* text : {"{\"name\": \"weather\", \"arguments\": {\"city\": \"Bonn\"}}",
                           "{\"name\": \"weather\", \"arguments\": {}}", "{\"name\": \"rain\"",
                           "hello", "{\"name\": \"time\", \"arguments\": []}", "<function=time>"}) {
    ToolConstraint constraint = Make();
    constraint.Accept(begin_);
    EXPECT_FALSE(Follows(constraint, text)) << text;
  }
  ToolConstraint constraint = Make();
  constraint.Accept(begin_);
  EXPECT_TRUE(Follows(constraint, "{\"name\": \"time\", \"arguments\": {\"zone\": [1, \"x\"]}"));
  EXPECT_FALSE(constraint.Allows(end_)) << "the call is not complete";
  EXPECT_TRUE(Follows(constraint, "}"));
  EXPECT_TRUE(constraint.Allows(end_));
}

TEST_F(ToolConstraintTest, ACallMustBeFinished) {
  ToolConstraint constraint = Make();
  constraint.Accept(begin_);
  for (const char* part : {"\n", "{\"", "name", "\":", " \"", "weather"}) {
    EXPECT_FALSE(constraint.Allows(stop_)) << part;
    EXPECT_FALSE(constraint.Allows(end_)) << part;
    EXPECT_FALSE(constraint.Allows(begin_)) << part;
    ExpectConsistent(constraint);
    ASSERT_TRUE(Follows(constraint, part)) << part;
  }
}

TEST_F(ToolConstraintTest, ForcesWhatMustFollow) {
  ToolConstraint constraint = Make();
  EXPECT_THAT(ForcedTokens(constraint, 8), IsEmpty());
  constraint.Accept(begin_);
  EXPECT_TRUE(Follows(constraint, "\n{\"name\": \"we"));
  std::string text;
  for (const int32_t id : ForcedTokens(constraint, 8)) text += words_->bytes(id);
  EXPECT_TRUE(std::string("ather\", \"arguments\": {").starts_with(text)) << text;
}

TEST_F(ToolConstraintTest, ARequiredCallComesFirstAndTextNever) {
  ToolConstraint constraint = Make({.choice = ToolChoice::kRequired});
  EXPECT_THAT(ForcedTokens(constraint, 8), ElementsAre(begin_));
  EXPECT_FALSE(constraint.Allows(stop_));
  EXPECT_FALSE(constraint.Allows(IdOf("hello")));
  ExpectConsistent(constraint);
  EXPECT_TRUE(Follows(constraint, rome_));
  EXPECT_TRUE(constraint.Allows(stop_));
  EXPECT_FALSE(constraint.Allows(IdOf("hello")));
  ExpectConsistent(constraint);
  EXPECT_TRUE(Follows(constraint, "\n" + rome_)) << "another call may follow";
}

TEST_F(ToolConstraintTest, OnlyOneCallIfNotSeveral) {
  for (const ToolChoice choice : {ToolChoice::kAuto, ToolChoice::kRequired}) {
    ToolConstraint constraint = Make({.choice = choice, .several = false});
    EXPECT_TRUE(Follows(constraint, rome_));
    EXPECT_TRUE(constraint.Allows(stop_));
    EXPECT_FALSE(constraint.Allows(begin_));
    EXPECT_FALSE(constraint.Allows(IdOf("\n")));
    ExpectConsistent(constraint);
  }
}

TEST_F(ToolConstraintTest, NoCallIfNoneIsWanted) {
  ToolConstraint constraint = Make({.choice = ToolChoice::kNone});
  EXPECT_FALSE(constraint.Allows(begin_));
  EXPECT_TRUE(Follows(constraint, "hello"));
  EXPECT_FALSE(constraint.Allows(begin_));
  ExpectConsistent(constraint);
}

TEST_F(ToolConstraintTest, BoundContentOrACall) {
  ToolConstraint content = Make({}, "root ::= \"yes\"");
  EXPECT_TRUE(content.Allows(begin_));
  EXPECT_FALSE(content.Allows(IdOf("hello")));
  ExpectConsistent(content);
  EXPECT_TRUE(Follows(content, "yes"));
  EXPECT_FALSE(content.Allows(begin_));
  EXPECT_TRUE(content.Allows(stop_));
  ToolConstraint call = Make({}, "root ::= \"yes\"");
  EXPECT_TRUE(Follows(call, rome_));
  EXPECT_TRUE(call.Allows(stop_));
  EXPECT_FALSE(call.Allows(IdOf("yes")));
  ExpectConsistent(call);
}

TEST_F(ToolConstraintTest, TheFormOfQwen3CoderBindsTheName) {
  calls_.grammar = *CompileToolCall(tools_, ToolCallForm::kXml);
  ToolConstraint constraint = Make({.choice = ToolChoice::kRequired});
  EXPECT_TRUE(Follows(constraint,
                      "<tool_call>\n<function=weather>\n<parameter=city>\nBonn\n</parameter>\n"));
  EXPECT_FALSE(constraint.Allows(end_));
  EXPECT_TRUE(Follows(constraint, "</function>\n</tool_call>"));
  EXPECT_TRUE(constraint.Allows(stop_));
  ToolConstraint wrong = Make();
  EXPECT_FALSE(Follows(wrong, "<tool_call>\n<function=rain>"));
}

}  // namespace
}  // namespace infer
