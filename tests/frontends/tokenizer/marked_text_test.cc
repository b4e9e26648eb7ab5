// SPDX-License-Identifier: Apache-2.0
#include "frontends/tokenizer/marked_text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "frontends/tokenizer/tokenizer.h"
#include "tests/frontends/tokenizer/small_vocabulary.h"

namespace infer {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using TextRange = MarkedText::Range;

TEST(MarkedText, KeepsMarksWhenJoinedAndCut) {
  MarkedText text("ab");
  text.Append(MarkedText::FromRequest("cd"));
  text.Append("ef", true);
  text.AppendTrusted("gh");
  text.Append("", true);
  EXPECT_EQ(text.text(), "abcdefgh");
  EXPECT_THAT(text.request_ranges(), ElementsAre(TextRange{2, 6}));
  EXPECT_THAT(text.Slice(3, 7).request_ranges(), ElementsAre(TextRange{0, 3}));
  EXPECT_EQ(text.Slice(3, 7).text(), "defg");
  EXPECT_THAT(text.Slice(6, 99).request_ranges(), IsEmpty());
  EXPECT_THAT(text.Slice(4, 4).request_ranges(), IsEmpty());
  text.Append(text, 4, 8);
  EXPECT_EQ(text.text(), "abcdefghefgh");
  EXPECT_THAT(text.request_ranges(), ElementsAre(TextRange{2, 6}, TextRange{8, 10}));
  EXPECT_TRUE(text.IsFromRequest(9));
  EXPECT_FALSE(text.IsFromRequest(10));
  EXPECT_FALSE(text.IsFromRequest(6));
}

class EncodeMarkedTest : public ::testing::Test {
 protected:
  EncodeMarkedTest() {
    end_ = vocabulary_.Add("<end>", TokenType::kControl);
    call_ = vocabulary_.Add("<call>", TokenType::kUserDefined);
    spaces_ = vocabulary_.Add("   ", TokenType::kUserDefined);
    tokenizer_.emplace(*Tokenizer::Create(vocabulary_.Data()));
  }
  TestVocabulary vocabulary_;
  int32_t end_, call_, spaces_;
  std::optional<Tokenizer> tokenizer_;
};

TEST_F(EncodeMarkedTest, FindsSpecialTokensInTrustedTextOnly) {
  MarkedText text("<end>");
  text.Append("<end><call>   ", true);
  text.AppendTrusted("<call>");
  const std::vector<int32_t> ids = *tokenizer_->EncodeMarked(text);
  EXPECT_EQ(ids.front(), end_);
  EXPECT_EQ(ids.back(), call_);
  EXPECT_EQ(ids[ids.size() - 2], spaces_);
  EXPECT_EQ(ids.size(), 1 + 5 + 6 + 1 + 1u);
}

TEST_F(EncodeMarkedTest, TokensDoNotFormAcrossTheBorder) {
  MarkedText text("<en");
  text.Append("d>", true);
  EXPECT_EQ(tokenizer_->EncodeMarked(text)->size(), 5u);
  MarkedText whole("<end>");
  EXPECT_THAT(*tokenizer_->EncodeMarked(whole), ElementsAre(end_));
}

TEST_F(EncodeMarkedTest, RepairsUtf8WithoutJoiningBothKinds) {
  MarkedText text("\xC3");
  text.Append("\xA9\xFF<end>", true);
  text.AppendTrusted("<end>");
  EXPECT_EQ(*tokenizer_->Decode(*tokenizer_->EncodeMarked(text)),
            "\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD<end><end>");
}

}  // namespace
}  // namespace infer
