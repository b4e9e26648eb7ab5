// SPDX-License-Identifier: Apache-2.0
//
// Random schemas of draft 2020-12 with documents that python3-jsonschema judged
// (make_schema_cases.py), byte by byte and token by token.
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <nlohmann/json.hpp>
#include <random>
#include <string>
#include <vector>

#include "frontends/grammar/check_text.h"
#include "frontends/grammar/json_schema.h"
#include "frontends/grammar/token_matcher.h"
#include "tests/frontends/grammar/token_paths.h"
#include "tests/frontends/tokenizer/vocabulary_file.h"

namespace infer {
namespace {

using Json = nlohmann::ordered_json;

const Json& Cases() {
  static const auto* cases =
      new Json(Json::parse(std::ifstream(INFER_TEST_DATA "/grammar/schema_cases.json")));
  return *cases;
}

std::shared_ptr<const Grammar> Compiled(const Json& schema, JsonWhitespace whitespace) {
  auto grammar = CompileJsonSchema(schema.dump(), {.whitespace = whitespace});
  EXPECT_TRUE(grammar.ok()) << grammar.status() << "\n" << schema;
  return grammar.ok() ? *grammar : AnyJson();
}

TEST(SchemaCases, AgreeWithTheJudge) {
  EXPECT_GE(Cases().size(), 300u);
  for (const Json& example : Cases()) {
    const auto grammar = Compiled(example["schema"], JsonWhitespace::kFree);
    for (const std::string text : example["valid"]) {
      const auto refusal = CheckText(grammar, text);
      EXPECT_FALSE(refusal) << text << "\nbyte " << refusal->byte << ": expected "
                            << refusal->expected << "\n"
                            << example["schema"];
    }
    for (const std::string text : example["invalid"]) {
      EXPECT_TRUE(CheckText(grammar, text)) << text << "\n" << example["schema"];
    }
  }
}

TEST(SchemaCases, ValidDocumentsAreAcceptedInAnyTokens) {
  std::mt19937 random(1);
  const auto& vocabulary = testing::Qwen3GrammarVocabulary();
  for (const Json& example : Cases()) {
    const auto grammar = Compiled(example["schema"], JsonWhitespace::kFree);
    for (const std::string text : example["valid"]) {
      const auto canonical = Qwen3Tokenizer().Encode(text, {.parse_special = false, .add_bos = {}});
      ASSERT_TRUE(canonical.ok());
      for (const std::vector<int32_t>& ids :
           {*canonical, testing::SingleByteTokens(*vocabulary, text),
            testing::RandomTokens(*vocabulary, text, random)}) {
        TokenMatcher matcher(grammar, vocabulary);
        for (const int32_t id : ids) {
          ASSERT_TRUE(matcher.Allows(id)) << text << " token " << vocabulary->bytes(id);
          ASSERT_TRUE(matcher.Accept(id));
        }
        EXPECT_TRUE(matcher.accepts()) << text;
        EXPECT_TRUE(matcher.Allows(vocabulary->end_ids()[0]));
      }
    }
  }
}

// For random states, the mask is compared with asking for every token.
void ExpectMasksEqualBruteForce(const std::shared_ptr<const GrammarVocabulary>& vocabulary,
                                int states, JsonWhitespace whitespace) {
  std::mt19937 random(2);
  for (int i = 0; i < states; ++i) {
    const Json& example = Cases()[random() % Cases().size()];
    const Json& valid = example["valid"];
    std::string text = valid[random() % valid.size()];
    if (whitespace == JsonWhitespace::kTidy) text = Json::parse(text).dump();
    const std::vector<int32_t> ids = testing::RandomTokens(*vocabulary, text, random);
    TokenMatcher matcher(Compiled(example["schema"], whitespace), vocabulary);
    for (size_t taken = random() % (ids.size() + 1), t = 0; t < taken; ++t) {
      ASSERT_TRUE(matcher.Accept(ids[t])) << text;
    }
    // Asked for before there is a mask, so that each token is followed.
    TokenMask allowed(vocabulary->token_count());
    for (int32_t id = 0; id < vocabulary->token_count(); ++id) {
      if (matcher.Allows(id)) allowed.Add(id);
    }
    EXPECT_EQ(matcher.counts().cached, 0);
    const TokenMask mask = matcher.Mask();
    EXPECT_GT(mask.Count(), 0u);
    for (int32_t id = 0; id < vocabulary->token_count(); ++id) {
      ASSERT_EQ(mask.Contains(id), allowed.Contains(id))
          << text << "\ntoken " << id << " " << vocabulary->bytes(id) << "\n"
          << example["schema"];
      ASSERT_EQ(matcher.Allows(id), allowed.Contains(id));
    }
    EXPECT_EQ(matcher.counts().computed, 1);
  }
}

// Whatever allowed token is taken, another one is allowed after it.
TEST(SchemaCases, NoAllowedTokenLeadsToADeadEnd) {
  std::mt19937 random(4);
  const auto& vocabulary = testing::TinyTalesGrammarVocabulary();
  for (const Json& example : Cases()) {
    const auto grammar = Compiled(example["schema"], JsonWhitespace::kTidy);
    TokenMatcher matcher(grammar, vocabulary);
    std::string text;
    for (int step = 0; step < 60; ++step) {
      const TokenMask& mask = matcher.Mask();
      ASSERT_GT(mask.Count(), 0u) << text << "\n" << example["schema"];
      size_t skip = random() % mask.Count();
      int32_t id = -1;
      for (int32_t i = 0; i < vocabulary->token_count() && id < 0; ++i) {
        if (mask.Contains(i) && skip-- == 0) id = i;
      }
      // Often one that closes something, so that the text gets on.
      for (const char closer : {'"', '}', ']', ',', ':'}) {
        const int32_t one = testing::SingleByteTokens(*vocabulary, std::string(1, closer))[0];
        if (random() % 4 == 0 && mask.Contains(one)) id = one;
      }
      if (vocabulary->bytes(id).empty()) break;  // the end
      text += vocabulary->bytes(id);
      ASSERT_TRUE(matcher.Accept(id)) << text;
    }
  }
}

int States(int usual) {
  const char* text = std::getenv("INFER_TEST_GRAMMAR_STATES");
  return text == nullptr ? usual : std::max(1, std::atoi(text));
}

TEST(SchemaCases, MasksEqualBruteForceInASmallVocabulary) {
  ExpectMasksEqualBruteForce(testing::TinyTalesGrammarVocabulary(), States(300),
                             JsonWhitespace::kTidy);
}

TEST(SchemaCases, MasksEqualBruteForceWithQwen3) {
  ExpectMasksEqualBruteForce(testing::Qwen3GrammarVocabulary(), States(25), JsonWhitespace::kTidy);
  ExpectMasksEqualBruteForce(testing::Qwen3GrammarVocabulary(), States(5), JsonWhitespace::kFree);
}

}  // namespace
}  // namespace infer
