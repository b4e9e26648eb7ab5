// SPDX-License-Identifier: Apache-2.0
#include "frontends/grammar/mask_cache.h"

#include <gtest/gtest.h>

#include <string>

#include "frontends/grammar/gbnf.h"
#include "frontends/grammar/json_schema.h"
#include "frontends/grammar/token_matcher.h"
#include "tests/frontends/grammar/token_paths.h"

namespace infer {
namespace {

std::shared_ptr<const TokenMask> Mask(int32_t token) {
  TokenMask mask(1000);
  mask.Add(token);
  return std::make_shared<const TokenMask>(mask);
}

TEST(MaskCache, HoldsWhatWasUsedLastWithinItsBytes) {
  MaskCache cache(4000);
  cache.Insert({0}, Mask(0));
  for (uint32_t i = 1; i < 200; ++i) {
    cache.Insert({i}, Mask(static_cast<int32_t>(i)));
    ASSERT_NE(cache.Find({0}), nullptr) << i;
    ASSERT_TRUE(cache.Find({i})->Contains(static_cast<int32_t>(i)));
    EXPECT_LE(cache.counts().bytes, 4000u);
  }
  EXPECT_EQ(cache.Find({1}), nullptr);
  EXPECT_EQ(cache.counts().missed, 1);
  EXPECT_EQ(cache.counts().found, 2 * 199);
}

TEST(MaskCache, AMaskThatIsTooLargeIsNotKept) {
  MaskCache cache(100);
  cache.Insert({1}, Mask(1));
  EXPECT_EQ(cache.Find({1}), nullptr);
  EXPECT_EQ(cache.counts().bytes, 0u);
}

// How many masks a text under `grammar` computes if another text has filled the cache.
int64_t Computed(const std::shared_ptr<const Grammar>& grammar, const std::string& first,
                 const std::string& second) {
  const auto& vocabulary = test::TinyTalesGrammarVocabulary();
  auto cache = std::make_shared<MaskCache>();
  TokenMatcher one(grammar, vocabulary, cache);
  for (const int32_t id : test::SingleByteTokens(*vocabulary, first)) {
    one.Mask();
    EXPECT_TRUE(one.Accept(id)) << first;
  }
  TokenMatcher other(grammar, vocabulary, cache);
  TokenMatcher alone(grammar, vocabulary);
  for (const int32_t id : test::SingleByteTokens(*vocabulary, second)) {
    EXPECT_EQ(other.Mask(), alone.Mask()) << second;
    EXPECT_TRUE(other.Accept(id)) << second;
    EXPECT_TRUE(alone.Accept(id)) << second;
  }
  return other.counts().computed;
}

TEST(MaskCache, TextsOfAGrammarShareMasks) {
  const auto grammar = *CompileJsonSchema(
      R"({"type": "object", "properties": {"a": {"type": "array", "items": {"type": "string"}}}})");
  EXPECT_EQ(Computed(grammar, R"({"a": ["x","y"]})", R"({"a": ["x","y"]})"), 0);
  EXPECT_EQ(Computed(grammar, R"({"a": ["x","y"]})", R"({"a": ["yxx","z","zzzz"]})"), 0);
}

TEST(MaskCache, CountsFarFromTheirBoundsAreTheSame) {
  const auto grammar = *CompileJsonSchema(
      R"({"type": "array", "maxItems": 10000, "items": {"type": "string", "maxLength": 60000}})");
  EXPECT_EQ(Computed(grammar, R"(["x","y"])", R"(["abcdefgh","b","c","d","e","f"])"), 0);
  const auto repeat = *CompileGbnf("root ::= \"ab\"{0,9999}");
  EXPECT_EQ(Computed(repeat, "abab", "abababababab"), 0);
}

TEST(MaskCache, CountsNearTheirBoundsAreNot) {
  const auto grammar = *CompileJsonSchema(
      R"({"type": "array", "minItems": 2, "maxItems": 3, "items": {"type": "string",
          "minLength": 1, "maxLength": 3}})");
  EXPECT_GT(Computed(grammar, R"(["x","y"])", R"(["x","y","abc"])"), 0);
}

// The cache is asked in one order of states and filled in another.
TEST(MaskCache, AtTheBoundOfACountTheMaskIsStillRight) {
  const auto grammar = *CompileJsonSchema(R"({"type": "string", "maxLength": 40})");
  const std::string text = "\"" + std::string(40, 'a') + "\"";
  Computed(grammar, text, text);
  const auto repeat = *CompileGbnf("root ::= \"a\"{3,60} \"b\"");
  const std::string many = std::string(60, 'a') + "b";
  Computed(repeat, many, many);
}

}  // namespace
}  // namespace infer
