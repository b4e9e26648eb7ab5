// SPDX-License-Identifier: Apache-2.0
//
// Masks and verified tokens against a simulation of every token of the vocabulary, byte by byte.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <numeric>
#include <random>
#include <string>
#include <vector>

#include "frontends/grammar/gbnf.h"
#include "frontends/grammar/token_matcher.h"
#include "ir/base/json.h"
#include "tests/frontends/grammar/schema_cases.h"
#include "tests/frontends/grammar/token_paths.h"

namespace infer {
namespace {

using SharedVocabulary = std::shared_ptr<const GrammarVocabulary>;

int States(int usual) {
  const char* text = std::getenv("INFER_TEST_GRAMMAR_STATES");
  return text == nullptr ? usual : std::max(1, std::atoi(text));
}

// The tokens in the order of their bytes, so that what several begin with is followed once.
std::vector<int32_t> InOrder(const SharedVocabulary& vocabulary) {
  std::vector<int32_t> ids(static_cast<size_t>(vocabulary->token_count()));
  std::iota(ids.begin(), ids.end(), 0);
  std::ranges::sort(ids, {}, [&](int32_t id) { return vocabulary->bytes(id); });
  return ids;
}

// All tokens that can follow `text`, found with nothing but single steps.
TokenMask Simulated(const std::shared_ptr<const Grammar>& grammar,
                    const SharedVocabulary& vocabulary, const std::vector<int32_t>& in_order,
                    const std::string& text) {
  GrammarMatcher matcher(grammar);
  std::vector<GrammarState> states = {matcher.start()};
  const auto step = [&](char byte) {
    GrammarState next;
    matcher.Step(states.back(), static_cast<uint8_t>(byte), &next);
    if (next.IsDead()) return false;
    states.push_back(std::move(next));
    return true;
  };
  for (const char byte : text) EXPECT_TRUE(step(byte)) << text;
  const GrammarState at = states.back();
  states = {at};
  TokenMask allowed(vocabulary->token_count());
  std::string_view before;  // of which states.size() - 1 bytes can follow
  for (const int32_t id : in_order) {
    const std::string_view bytes = vocabulary->bytes(id);
    const auto alike = std::ranges::mismatch(bytes, before).in1 - bytes.begin();
    states.resize(std::min(states.size(), static_cast<size_t>(alike) + 1), at);
    const bool goes_on = std::ranges::all_of(bytes.substr(states.size() - 1), step);
    if (!bytes.empty() && goes_on) allowed.Add(id);
    before = bytes;
  }
  for (const int32_t id : vocabulary->end_ids()) {
    if (at.accepts) allowed.Add(id);
  }
  return allowed;
}

// After some of the tokens `ids`.
void ExpectEqualsSimulation(const std::shared_ptr<const Grammar>& grammar,
                            const SharedVocabulary& vocabulary,
                            const std::vector<int32_t>& in_order, const std::vector<int32_t>& ids,
                            size_t taken) {
  std::string text;
  TokenMatcher one_by_one(grammar, vocabulary), by_mask(grammar, vocabulary);
  for (size_t t = 0; t < taken; ++t) {
    text += vocabulary->bytes(ids[t]);
    ASSERT_TRUE(one_by_one.Accept(ids[t]) && by_mask.Accept(ids[t])) << text;
  }
  const TokenMask allowed = Simulated(grammar, vocabulary, in_order, text);
  const TokenMask& mask = by_mask.Mask();
  EXPECT_GT(mask.Count(), 0u);
  for (int32_t id = 0; id < vocabulary->token_count(); ++id) {
    const bool expected = allowed.Contains(id);
    const bool agree = mask.Contains(id) == expected && one_by_one.Allows(id) == expected &&
                       by_mask.Allows(id) == expected;
    ASSERT_TRUE(agree) << "after " << text << ", token " << vocabulary->bytes(id) << ": mask "
                       << mask.Contains(id) << ", alone " << one_by_one.Allows(id)
                       << ", with a mask " << by_mask.Allows(id) << ", expected " << expected;
  }
  EXPECT_EQ(one_by_one.counts().computed + one_by_one.counts().cached, 0);
  EXPECT_EQ(by_mask.counts().computed, 1);
}

void ExpectSchemasEqualSimulation(const SharedVocabulary& vocabulary, int states,
                                  JsonWhitespace whitespace) {
  std::mt19937 random(2);
  const std::vector<int32_t> in_order = InOrder(vocabulary);
  for (int i = 0; i < states; ++i) {
    const Json& example = test::SchemaCases()[random() % test::SchemaCases().size()];
    SCOPED_TRACE(example["schema"].dump());
    const Json& valid = example["valid"];
    std::string text = valid[random() % valid.size()];
    if (whitespace == JsonWhitespace::kTidy) text = Json::parse(text).dump();
    const std::vector<int32_t> ids = test::RandomTokens(*vocabulary, text, random);
    ExpectEqualsSimulation(test::Compiled(example["schema"], whitespace), vocabulary, in_order, ids,
                           random() % (ids.size() + 1));
  }
}

TEST(ComputeMask, EqualsSimulationInASmallVocabulary) {
  ExpectSchemasEqualSimulation(test::TinyTalesGrammarVocabulary(), States(300),
                               JsonWhitespace::kTidy);
}

TEST(ComputeMask, EqualsSimulationWithQwen3) {
  const SharedVocabulary& vocabulary = test::Qwen3GrammarVocabulary();
  ExpectSchemasEqualSimulation(vocabulary, States(4), JsonWhitespace::kTidy);
  ExpectSchemasEqualSimulation(vocabulary, States(2), JsonWhitespace::kFree);
}

TEST(ComputeMask, EqualsSimulationOfGbnf) {
  struct Case {
    const char* grammar;
    const char* text;
  };
  const SharedVocabulary& vocabulary = test::Qwen3GrammarVocabulary();
  const std::vector<int32_t> in_order = InOrder(vocabulary);
  std::mt19937 random(3);
  for (const Case& example : {
           Case{"root ::= [a-z]+ (\", \" [a-z0-9]+)* \".\"", "one, two, three4."},
           Case{"root ::= [^x]* \"x\"", "中文, é and 🙂x"},
           Case{"root ::= (\"yes\" | \"no\" | [А-я]{2,5}) \"!\"?", "слово!"},
           Case{"root ::= line+\nline ::= [ -~]{0,20} \"\\n\"", "if (x) {\n  y();\n}\n"},
       }) {
    const auto grammar = CompileGbnf(example.grammar);
    ASSERT_TRUE(grammar.ok()) << grammar.status();
    const std::vector<int32_t> ids = test::RandomTokens(*vocabulary, example.text, random);
    for (int i = 0; i < States(1); ++i) {
      SCOPED_TRACE(example.grammar);
      ExpectEqualsSimulation(*grammar, vocabulary, in_order, ids, random() % (ids.size() + 1));
    }
  }
}

// A step for each node of the vocabulary's tree, each through as many rules as a byte may take,
// would be minutes for a large vocabulary.
TEST(ComputeMask, AMaskOfAnAmbiguousGrammarTakesBoundedSteps) {
  const SharedVocabulary& vocabulary = test::TinyTalesGrammarVocabulary();
  const auto grammar = CompileGbnf("root ::= x\nx ::= . x x x | . x x | \"\"");
  ASSERT_TRUE(grammar.ok()) << grammar.status();
  TokenMatcher matcher(*grammar, vocabulary);
  std::mt19937 random(4);
  const std::string text(30, 'a');
  for (const int32_t id : test::RandomTokens(*vocabulary, text, random)) {
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
