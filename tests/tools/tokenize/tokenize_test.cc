// SPDX-License-Identifier: Apache-2.0
#include "tools/tokenize/tokenize.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/frontends/tokenizer/small_vocabulary.h"

namespace infer {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

class TokenizeTest : public ::testing::Test {
 protected:
  TokenizeTest() {
    ab_ = vocabulary_.Merge("a", "b");
    end_ = vocabulary_.Add("<end>", TokenType::kControl);
    pad_ = vocabulary_.Add("[PAD]", TokenType::kUnused);
    tokenizer_.emplace(*Tokenizer::Create(vocabulary_.Data()));
  }
  std::string Tokenize(std::string_view text, TokenizeFormat format,
                       const EncodeOptions& options = {}) {
    return *TokenizeText(*tokenizer_, text, format, options);
  }

  TestVocabulary vocabulary_;
  int32_t ab_, end_, pad_;
  std::optional<Tokenizer> tokenizer_;
};

TEST_F(TokenizeTest, PrintsALinePerToken) {
  EXPECT_EQ(Tokenize("ab\n\\\xC3\xBC<end>", TokenizeFormat::kText),
            "256\tab\n10\t\\n\n92\t\\\\\n195\t\\xC3\n188\t\\xBC\n257\t<end>\n");
  EXPECT_EQ(Tokenize("", TokenizeFormat::kText), "");
}

TEST_F(TokenizeTest, PrintsIdsOnOneLine) {
  EXPECT_EQ(Tokenize("abc<end>", TokenizeFormat::kIds), "256,99,257\n");
  EXPECT_EQ(Tokenize("", TokenizeFormat::kIds), "\n");
  EncodeOptions no_special;
  no_special.parse_special = false;
  EXPECT_EQ(Tokenize("<end>", TokenizeFormat::kIds, no_special), "60,101,110,100,62\n");
}

TEST_F(TokenizeTest, PrintsJson) {
  EXPECT_EQ(Tokenize("ab<end>", TokenizeFormat::kJson),
            "{\"schema_version\":1,\"count\":2,\"ids\":[256,257],\"tokens\":[{\"id\":256,\"piece\":"
            "\"ab\",\"type\":"
            "\"normal\"},{\"id\":257,\"piece\":\"<end>\",\"type\":\"control\"}]}\n");
}

TEST_F(TokenizeTest, ShowsUnusedTokensByName) {
  EXPECT_EQ(VisiblePiece(tokenizer_->vocabulary(), pad_), "[PAD]");
}

TEST_F(TokenizeTest, DecodesAnIdList) {
  EXPECT_EQ(*DetokenizeIds(*tokenizer_, " 256, 255 ,257\n", TokenizeFormat::kText, {}),
            "ab\xFF<end>");
  EXPECT_EQ(*DetokenizeIds(*tokenizer_, "255,97", TokenizeFormat::kJson, {}),
            "{\"schema_version\":1,\"text\":\"\xEF\xBF\xBD"
            "a\"}\n");
  EXPECT_EQ(DetokenizeIds(*tokenizer_, "259", TokenizeFormat::kText, {}).status().message(),
            "token 0 of the sequence is 259, the vocabulary has ids 0 to 258");
}

TEST(ParseIdList, TakesNumbersAndCommas) {
  EXPECT_THAT(*ParseIdList(""), IsEmpty());
  EXPECT_THAT(*ParseIdList(" \n"), IsEmpty());
  EXPECT_THAT(*ParseIdList("1,2, 2147483647"), ElementsAre(1, 2, 2147483647));
}

TEST(ParseIdList, RefusesAnythingElse) {
  EXPECT_EQ(
      ParseIdList("1,x").status().message(),
      "token ids: item 2 is \"x\", expected numbers from 0 to 2147483647 separated by commas, "
      "such as 1,2,3");
  for (const char* bad : {"1,", ",1", "1,,2", "-1", "2147483648", "1 2", "0x1", "1.5", "+1"}) {
    EXPECT_EQ(ParseIdList(bad).status().code(), absl::StatusCode::kInvalidArgument) << bad;
  }
}

}  // namespace
}  // namespace infer
