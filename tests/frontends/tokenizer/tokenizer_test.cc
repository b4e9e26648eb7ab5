// SPDX-License-Identifier: Apache-2.0
#include "frontends/tokenizer/tokenizer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <utf8proc.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>

#include "tests/frontends/tokenizer/small_vocabulary.h"
#include "tests/frontends/tokenizer/vocabulary_file.h"

namespace infer {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using Ids = std::vector<int32_t>;

std::string Nfc(const std::string& text) {
  utf8proc_uint8_t* result = nullptr;
  utf8proc_ssize_t length =
      utf8proc_map(reinterpret_cast<const utf8proc_uint8_t*>(text.data()),
                   static_cast<utf8proc_ssize_t>(text.size()), &result,
                   static_cast<utf8proc_option_t>(UTF8PROC_STABLE | UTF8PROC_COMPOSE));
  std::string nfc(reinterpret_cast<const char*>(result), length > 0 ? length : 0);
  std::free(result);
  return nfc;
}

// Cases made by Hugging Face's own tokenizers.
void ExpectCases(const Tokenizer& tokenizer, const std::string& file) {
  std::ifstream stream(std::string(INFER_TEST_DATA "/") + file);
  auto cases = nlohmann::json::parse(stream).at("cases");
  ASSERT_EQ(cases.size(), 285u);
  for (const auto& c : cases) {
    auto text = c.at("text").get<std::string>();
    auto ids = tokenizer.Encode(text);
    ASSERT_TRUE(ids.ok()) << ids.status();
    EXPECT_EQ(*ids, c.at("ids").get<Ids>()) << c.dump();
    auto decoded = tokenizer.Decode(*ids);
    ASSERT_TRUE(decoded.ok()) << decoded.status();
    EXPECT_EQ(*decoded, Nfc(text)) << c.dump();
  }
}

TEST(Tokenizer, EqualsHuggingFaceOnQwen3) {
  ExpectCases(Qwen3Tokenizer(), "qwen3_tokenizer_cases.json");
}

TEST(Tokenizer, EqualsHuggingFaceOnTinyTales) {
  ExpectCases(TinyTalesTokenizer(), "tiny_tales_tokenizer_cases.json");
}

// The bundled vocabulary with Llama 3's rules; words that no merge makes replace its last ones.
TEST(Tokenizer, EqualsHuggingFaceWithLlama3sRules) {
  std::ifstream stream(INFER_TEST_DATA "/llama_tokenizer_cases.json");
  const auto json = nlohmann::json::parse(stream);
  const auto words = json.at("words").get<std::vector<std::string>>();
  VocabularyFixture fixture = LoadVocabularyFixture(INFER_TEST_DATA "/tiny-tales-f16.gguf");
  TokenizerData& data = fixture.data;
  data.pre = "llama-bpe";
  data.add_bos = false;
  for (int32_t& type : data.types) {
    if (type == static_cast<int32_t>(TokenType::kUserDefined)) {
      type = static_cast<int32_t>(TokenType::kUnused);
    }
  }
  const auto end = std::ranges::find(data.types, static_cast<int32_t>(TokenType::kControl));
  std::ranges::copy(words, data.tokens.begin() + (end - data.types.begin()) - std::ssize(words));
  data.merges.resize(data.merges.size() - words.size());
  const absl::StatusOr<Tokenizer> tokenizer = Tokenizer::Create(data);
  ASSERT_TRUE(tokenizer.ok()) << tokenizer.status();
  ASSERT_GT(json.at("cases").size(), 280u);
  for (const auto& c : json.at("cases")) {
    EXPECT_EQ(*tokenizer->Encode(c.at("text").get<std::string>()), c.at("ids").get<Ids>())
        << c.dump();
  }
}

TEST(Tokenizer, SplitsByAGivenRegex) {
  VocabularyFixture file = LoadVocabularyFixture(INFER_TEST_DATA "/qwen3-vocab.gguf");
  TokenizerOptions options;
  options.split_regex = "[A-Za-z]+| ";
  auto tokenizer = Tokenizer::Create(file.data, options);
  ASSERT_TRUE(tokenizer.ok()) << tokenizer.status();
  EXPECT_EQ(*tokenizer->Decode(*tokenizer->Encode("two words, 12")), "two words, 12");
  EXPECT_NE(*tokenizer->Encode(" word"), *Qwen3Tokenizer().Encode(" word"));
  options.split_regex = "(";
  EXPECT_THAT(std::string(Tokenizer::Create(file.data, options).status().message()),
              HasSubstr("split regex, at byte 1"));
}

TEST(Tokenizer, LeavesControlTokensAsTextWhenToldTo) {
  const Tokenizer& tokenizer = Qwen3Tokenizer();
  EncodeOptions plain;
  plain.parse_special = false;
  Ids ids = *tokenizer.Encode("a<|im_end|>b<think>", plain);
  int32_t im_end = *tokenizer.SpecialTokenId("<|im_end|>");
  int32_t think = *tokenizer.SpecialTokenId("<think>");
  EXPECT_THAT(ids, ::testing::Not(::testing::Contains(im_end)));
  EXPECT_EQ(ids.back(), think) << "user-defined tokens are found in any case";
  EXPECT_EQ(*tokenizer.Decode(ids), "a<|im_end|>b<think>");
}

TEST(Tokenizer, TakesTheLongestSpecialTokenAtAPlace) {
  TestVocabulary vocabulary;
  int32_t shorter = vocabulary.Add("<a>", TokenType::kControl);
  int32_t longer = vocabulary.Add("<a><b>", TokenType::kUserDefined);
  Tokenizer tokenizer = *Tokenizer::Create(vocabulary.Data());
  EXPECT_THAT(*tokenizer.Encode("<a><b><a><"), ElementsAre(longer, shorter, ByteId('<')));
  EXPECT_THAT(*tokenizer.Encode("<a"), ElementsAre(ByteId('<'), ByteId('a')));
}

TEST(Tokenizer, MatchesSpecialTokensBeforeNormalizing) {
  // Normalizing first would join the accent to the token's last letter and hide the token.
  TestVocabulary vocabulary;
  int32_t special = vocabulary.Add("<e", TokenType::kControl);
  Tokenizer tokenizer = *Tokenizer::Create(vocabulary.Data());
  Ids ids = *tokenizer.Encode("<e\xCC\x81");
  EXPECT_EQ(ids[0], special);
  EXPECT_EQ(*tokenizer.Decode(ids), "<e\xCC\x81");
}

TEST(Tokenizer, AddsBosWhereTheFileOrTheCallerSaysSo) {
  TestVocabulary vocabulary;
  TokenizerData data = vocabulary.Data();
  data.bos = ByteId('^');
  data.add_bos = true;
  Tokenizer tokenizer = *Tokenizer::Create(data);
  EXPECT_THAT(*tokenizer.Encode("a"), ElementsAre(ByteId('^'), ByteId('a')));
  EncodeOptions without;
  without.add_bos = false;
  EXPECT_THAT(*tokenizer.Encode("a", without), ElementsAre(ByteId('a')));
  EXPECT_THAT(*Qwen3Tokenizer().Encode(""), IsEmpty());
}

TEST(Tokenizer, AddsBosForLlamaUnlessTheFileSaysNo) {
  TestVocabulary vocabulary;
  TokenizerData data = vocabulary.Data();
  data.pre = "llama-bpe";
  EXPECT_FALSE(Tokenizer::Create(data)->vocabulary().add_bos()) << "there is none to add";
  data.bos = ByteId('^');
  EXPECT_TRUE(Tokenizer::Create(data)->vocabulary().add_bos());
  data.add_bos = false;
  EXPECT_FALSE(Tokenizer::Create(data)->vocabulary().add_bos());
}

TEST(Tokenizer, AddsNoSecondBosToATemplateThatBeginsWithIt) {
  TestVocabulary vocabulary;
  const int32_t bos = vocabulary.Add("<bos>", TokenType::kControl);
  TokenizerData data = vocabulary.Data();
  data.bos = bos;
  data.add_bos = true;
  Tokenizer tokenizer = *Tokenizer::Create(data);
  MarkedText text;
  text.AppendTrusted("<bos>a");
  EXPECT_THAT(*tokenizer.EncodeMarked(text), ElementsAre(bos, ByteId('a')));
  MarkedText forged;
  forged.Append("<bos>", /*from_request=*/true);
  EXPECT_THAT(*tokenizer.EncodeMarked(forged),
              ElementsAre(bos, ByteId('<'), ByteId('b'), ByteId('o'), ByteId('s'), ByteId('>')));
}

TEST(Tokenizer, TakesWordsOfTheVocabularyWholeForLlamaOnly) {
  TestVocabulary vocabulary;
  const int32_t word = vocabulary.Add("abc", TokenType::kNormal);
  const int32_t long_word =
      vocabulary.Add("abcdefghijklmnopqrstuvwxyzabcdefghijklmnopqrstuvwxyz", TokenType::kNormal);
  TokenizerData data = vocabulary.Data();
  EXPECT_EQ(Tokenizer::Create(data)->Encode("abc")->size(), 3u);
  data.pre = "llama-bpe";
  Tokenizer tokenizer = *Tokenizer::Create(data);
  EXPECT_THAT(*tokenizer.Encode("abc"), ElementsAre(word));
  EXPECT_THAT(*tokenizer.Encode("abcdefghijklmnopqrstuvwxyzabcdefghijklmnopqrstuvwxyz"),
              ElementsAre(long_word));
  EXPECT_EQ(tokenizer.Encode("abcd")->size(), 4u);
}

TEST(Tokenizer, NormalizesForQwenOnly) {
  TestVocabulary vocabulary;
  TokenizerData data = vocabulary.Data();
  EXPECT_EQ(Tokenizer::Create(data)->Encode("e\xCC\x81")->size(), 2u);
  data.pre = "llama-bpe";
  EXPECT_EQ(Tokenizer::Create(data)->Encode("e\xCC\x81")->size(), 3u);
}

TEST(Tokenizer, ReadsIllFormedBytesAsReplacementCharacters) {
  const Tokenizer& tokenizer = Qwen3Tokenizer();
  EXPECT_EQ(*tokenizer.Decode(*tokenizer.Encode("a\xFF\xE2\x82z\xED\xA0\x80")),
            "a\xEF\xBF\xBD\xEF\xBF\xBDz\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD");
}

TEST(Tokenizer, DecodesSingleBytesExactly) {
  const Tokenizer& tokenizer = Qwen3Tokenizer();
  Ids ids = *tokenizer.Encode("\xF0\x9F\xA6\xA9");
  ASSERT_GT(ids.size(), 1u);
  Ids first(ids.begin(), ids.begin() + 1);
  std::string bytes = *tokenizer.Decode(first);
  EXPECT_EQ(bytes, std::string("\xF0\x9F\xA6\xA9").substr(0, bytes.size()));
}

TEST(Tokenizer, DecodesUnusedTokensToNothingAndSkipsControlWhenToldTo) {
  const Tokenizer& tokenizer = Qwen3Tokenizer();
  EXPECT_EQ(*tokenizer.Decode(Ids{151669}), "");
  EXPECT_EQ(*tokenizer.Decode(Ids{151645, 64, 151667}), "<|im_end|>a<think>");
  DecodeOptions skip;
  skip.skip_control = true;
  EXPECT_EQ(*tokenizer.Decode(Ids{151645, 64, 151667}, skip), "a<think>");
}

TEST(Tokenizer, RefusesIdsOutsideTheVocabulary) {
  auto status = Qwen3Tokenizer().Decode(Ids{1, 151936}).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(status.message(),
            "token 1 of the sequence is 151936, the vocabulary has ids 0 to 151935");
  EXPECT_FALSE(Qwen3Tokenizer().Decode(Ids{-1}).ok());
}

TEST(Tokenizer, KnowsTheTokensThatEndAGeneration) {
  EXPECT_THAT(Qwen3Tokenizer().vocabulary().end_ids(), ElementsAre(151643, 151645));
  EXPECT_EQ(Qwen3Tokenizer().vocabulary().eos(), 151645);
  EXPECT_EQ(Qwen3Tokenizer().SpecialTokenId("<|im_start"), std::nullopt);
}

TEST(Tokenizer, TakesLongUniformTextsWithoutRecursion) {
  const Tokenizer& tokenizer = Qwen3Tokenizer();
  for (const char* unit : {"a", " ", "\n", "!", "\xCC\x81\xCC\x96", "\xE4\xB8\xAD", "'"}) {
    std::string text;
    while (text.size() < (1 << 18)) text += unit;
    auto ids = tokenizer.Encode(text);
    ASSERT_TRUE(ids.ok());
    EXPECT_EQ(tokenizer.Decode(*ids)->size(), text.size()) << unit;
  }
}

TEST(Tokenizer, IsSmall) { EXPECT_LT(Qwen3Tokenizer().memory_bytes(), size_t{10} << 20); }

}  // namespace
}  // namespace infer
