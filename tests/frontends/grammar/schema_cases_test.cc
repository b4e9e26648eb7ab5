// SPDX-License-Identifier: Apache-2.0
//
// Random schemas of draft 2020-12 with documents that python3-jsonschema judged
// (make_schema_cases.py), byte by byte and token by token.
#include "tests/frontends/grammar/schema_cases.h"

#include <gtest/gtest.h>

#include <random>
#include <string>
#include <vector>

#include "frontends/grammar/check_text.h"
#include "frontends/grammar/token_matcher.h"
#include "ir/base/json.h"
#include "tests/frontends/grammar/token_paths.h"
#include "tests/frontends/tokenizer/vocabulary_file.h"

namespace infer {
namespace {

using test::Compiled;
using test::SchemaCases;

TEST(SchemaCases, AgreeWithTheJudge) {
  EXPECT_GE(SchemaCases().size(), 300u);
  for (const Json& example : SchemaCases()) {
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
  const auto& vocabulary = test::Qwen3GrammarVocabulary();
  for (const Json& example : SchemaCases()) {
    const auto grammar = Compiled(example["schema"], JsonWhitespace::kFree);
    for (const std::string text : example["valid"]) {
      const auto canonical = Qwen3Tokenizer().Encode(text, {.parse_special = false, .add_bos = {}});
      ASSERT_TRUE(canonical.ok());
      for (const std::vector<int32_t>& ids : {*canonical, test::SingleByteTokens(*vocabulary, text),
                                              test::RandomTokens(*vocabulary, text, random)}) {
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

// Whatever allowed token is taken, another one is allowed after it.
TEST(SchemaCases, NoAllowedTokenLeadsToADeadEnd) {
  std::mt19937 random(4);
  const auto& vocabulary = test::TinyTalesGrammarVocabulary();
  for (const Json& example : SchemaCases()) {
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
        const int32_t one = test::SingleByteTokens(*vocabulary, std::string(1, closer))[0];
        if (random() % 4 == 0 && mask.Contains(one)) id = one;
      }
      if (vocabulary->bytes(id).empty()) break;  // the end
      text += vocabulary->bytes(id);
      ASSERT_TRUE(matcher.Accept(id)) << text;
    }
  }
}

}  // namespace
}  // namespace infer
