// SPDX-License-Identifier: Apache-2.0
//
// Masks and verified tokens against a simulation of every token of the vocabulary, byte by byte.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <random>
#include <string>
#include <vector>

#include "frontends/grammar/gbnf.h"
#include "frontends/grammar/token_matcher.h"
#include "tests/frontends/grammar/schema_cases.h"
#include "tests/frontends/grammar/token_paths.h"

namespace infer {
namespace {

using Json = nlohmann::ordered_json;
using Vocabulary = std::shared_ptr<const GrammarVocabulary>;

int States(int usual) {
  const char* text = std::getenv("INFER_TEST_GRAMMAR_STATES");
  return text == nullptr ? usual : std::max(1, std::atoi(text));
}

// All tokens that can follow `text`, found with nothing but single steps.
TokenMask Simulated(const std::shared_ptr<const Grammar>& grammar, const Vocabulary& vocabulary,
                    const std::string& text) {
  GrammarMatcher matcher(grammar);
  GrammarState at = matcher.start(), next;
  const auto step = [&](GrammarState* state, char byte) {
    matcher.Step(*state, static_cast<uint8_t>(byte), &next);
    std::swap(*state, next);
    return !state->IsDead();
  };
  for (const char byte : text) EXPECT_TRUE(step(&at, byte)) << text;
  TokenMask allowed(vocabulary->token_count());
  for (int32_t id = 0; id < vocabulary->token_count(); ++id) {
    const std::string_view bytes = vocabulary->bytes(id);
    GrammarState state = at;
    if (!bytes.empty() && std::ranges::all_of(bytes, [&](char b) { return step(&state, b); })) {
      allowed.Add(id);
    }
  }
  for (const int32_t id : vocabulary->end_ids()) {
    if (at.accepts) allowed.Add(id);
  }
  return allowed;
}

// After some of the tokens `ids`.
void ExpectEqualsSimulation(const std::shared_ptr<const Grammar>& grammar,
                            const Vocabulary& vocabulary, const std::vector<int32_t>& ids,
                            size_t taken) {
  std::string text;
  TokenMatcher one_by_one(grammar, vocabulary), by_mask(grammar, vocabulary);
  for (size_t t = 0; t < taken; ++t) {
    text += vocabulary->bytes(ids[t]);
    ASSERT_TRUE(one_by_one.Accept(ids[t]) && by_mask.Accept(ids[t])) << text;
  }
  const TokenMask allowed = Simulated(grammar, vocabulary, text);
  const TokenMask& mask = by_mask.Mask();
  EXPECT_GT(mask.Count(), 0u);
  for (int32_t id = 0; id < vocabulary->token_count(); ++id) {
    const std::string where = "after " + text + ", token " + std::string(vocabulary->bytes(id));
    ASSERT_EQ(mask.Contains(id), allowed.Contains(id)) << where;
    ASSERT_EQ(one_by_one.Allows(id), allowed.Contains(id)) << where;
    ASSERT_EQ(by_mask.Allows(id), allowed.Contains(id)) << where;
  }
  EXPECT_EQ(one_by_one.counts().computed + one_by_one.counts().cached, 0);
  EXPECT_EQ(by_mask.counts().computed, 1);
}

void ExpectSchemasEqualSimulation(const Vocabulary& vocabulary, int states,
                                  JsonWhitespace whitespace) {
  std::mt19937 random(2);
  for (int i = 0; i < states; ++i) {
    const Json& example = testing::SchemaCases()[random() % testing::SchemaCases().size()];
    SCOPED_TRACE(example["schema"].dump());
    const Json& valid = example["valid"];
    std::string text = valid[random() % valid.size()];
    if (whitespace == JsonWhitespace::kTidy) text = Json::parse(text).dump();
    const std::vector<int32_t> ids = testing::RandomTokens(*vocabulary, text, random);
    ExpectEqualsSimulation(testing::Compiled(example["schema"], whitespace), vocabulary, ids,
                           random() % (ids.size() + 1));
  }
}

TEST(ComputeMask, EqualsSimulationInASmallVocabulary) {
  ExpectSchemasEqualSimulation(testing::TinyTalesGrammarVocabulary(), States(300),
                               JsonWhitespace::kTidy);
}

TEST(ComputeMask, EqualsSimulationWithQwen3) {
  const Vocabulary& vocabulary = testing::Qwen3GrammarVocabulary();
  ExpectSchemasEqualSimulation(vocabulary, States(10), JsonWhitespace::kTidy);
  ExpectSchemasEqualSimulation(vocabulary, States(5), JsonWhitespace::kFree);
}

TEST(ComputeMask, EqualsSimulationOfGbnf) {
  struct Case {
    const char* grammar;
    const char* text;
  };
  const Vocabulary& vocabulary = testing::Qwen3GrammarVocabulary();
  std::mt19937 random(3);
  for (const Case& example : {
           Case{"root ::= [a-z]+ (\", \" [a-z0-9]+)* \".\"", "one, two, three4."},
           Case{"root ::= [^x]* \"x\"", "中文, é and 🙂x"},
           Case{"root ::= (\"yes\" | \"no\" | [А-я]{2,5}) \"!\"?", "слово!"},
           Case{"root ::= line+\nline ::= [ -~]{0,20} \"\\n\"", "if (x) {\n  y();\n}\n"},
       }) {
    const auto grammar = CompileGbnf(example.grammar);
    ASSERT_TRUE(grammar.ok()) << grammar.status();
    const std::vector<int32_t> ids = testing::RandomTokens(*vocabulary, example.text, random);
    for (int i = 0; i < States(3); ++i) {
      SCOPED_TRACE(example.grammar);
      ExpectEqualsSimulation(*grammar, vocabulary, ids, random() % (ids.size() + 1));
    }
  }
}

// A step for each node of the vocabulary's tree, each through as many rules as a byte may take,
// would be minutes for a large vocabulary.
TEST(ComputeMask, AMaskOfAnAmbiguousGrammarTakesBoundedSteps) {
  const Vocabulary& vocabulary = testing::TinyTalesGrammarVocabulary();
  const auto grammar = CompileGbnf("root ::= x\nx ::= . x x x | . x x | \"\"");
  ASSERT_TRUE(grammar.ok()) << grammar.status();
  TokenMatcher matcher(*grammar, vocabulary);
  std::mt19937 random(4);
  const std::string text(30, 'a');
  for (const int32_t id : testing::RandomTokens(*vocabulary, text, random)) {
    ASSERT_TRUE(matcher.Accept(id));
  }
  const size_t before = matcher.followed();
  EXPECT_GT(matcher.Mask().Count(), 0u);
  EXPECT_TRUE(matcher.reached_limit());
  EXPECT_LE(matcher.followed() - before,
            TokenMatcher::kFollowedPerNode * vocabulary->trie().nodes().size() +
                GrammarMatcher::kMaxFollowed);
}

}  // namespace
}  // namespace infer
