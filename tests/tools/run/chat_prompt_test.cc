// SPDX-License-Identifier: Apache-2.0
#include "tools/run/chat_prompt.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "tools/api/model_file.h"

namespace infer {
namespace {

using ::testing::EndsWith;
using ::testing::HasSubstr;

class ChatPromptTest : public ::testing::Test {
 protected:
  ChatPromptTest()
      : model_(*ModelFile::Open("")),
        tokenizer_(*model_.ReadTokenizer()),
        renderer_(*model_.gguf().metadata().GetStringOr("tokenizer.chat_template", ""),
                  *model_.Family(), &tokenizer_) {
    conversation_.SetSystem("Be brief.");
    for (int i = 0; i < 10; ++i) {
      conversation_.AddUser("What is 20 + 30?");
      ChatMessage answer;
      answer.role = "assistant";
      answer.content = "20 + 30 = 50";
      conversation_.Add(answer);
    }
    conversation_.AddUser("And 1 + 1?");
  }
  absl::StatusOr<FittedPrompt> Fit(int64_t context, int64_t max_tokens) {
    return FitPrompt(renderer_, ThinkMode::kOff, context, max_tokens, &conversation_);
  }

  ModelFile model_;
  Tokenizer tokenizer_;
  ConversationRenderer renderer_;
  Conversation conversation_;
};

TEST_F(ChatPromptTest, ThinkingBelongsToTheAnswer) {
  EXPECT_EQ(renderer_.Render(conversation_, ThinkMode::kAuto)->answer_start, "");
  const ChatPrompt prompt = *renderer_.Render(conversation_, ThinkMode::kOn);
  EXPECT_EQ(prompt.answer_start, "<think>\n");
  EXPECT_THAT(prompt.text, EndsWith("<think>\n"));
  EXPECT_EQ(*tokenizer_.Decode(prompt.ids), prompt.text);
}

TEST_F(ChatPromptTest, AConversationThatFitsStays) {
  const FittedPrompt fitted = *Fit(2048, -1);
  EXPECT_EQ(fitted.dropped_turns, 0);
  EXPECT_EQ(conversation_.turns(), 11);
}

TEST_F(ChatPromptTest, TheOldestTurnsGoUntilThereIsRoom) {
  const int64_t all = std::ssize(renderer_.Render(conversation_, ThinkMode::kOff)->ids);
  const FittedPrompt fitted = *Fit(all, -1);
  EXPECT_GT(fitted.dropped_turns, 1);
  EXPECT_EQ(conversation_.turns(), 11 - fitted.dropped_turns);
  EXPECT_EQ(conversation_.system(), "Be brief.");
  EXPECT_EQ(conversation_.messages().back().content, "And 1 + 1?");
  EXPECT_LE(std::ssize(fitted.prompt.ids), all - all / 3);
  EXPECT_EQ(Fit(all, -1)->dropped_turns, 0) << "and stay for a while";
}

TEST_F(ChatPromptTest, AShortAnswerNeedsLittleRoom) {
  const int64_t all = std::ssize(renderer_.Render(conversation_, ThinkMode::kOff)->ids);
  EXPECT_EQ(Fit(all + 5, 5)->dropped_turns, 0);
}

TEST_F(ChatPromptTest, AMessageThatDoesNotFitIsRefused) {
  const absl::Status status = Fit(20, -1).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kResourceExhausted);
  EXPECT_THAT(std::string(status.message()), HasSubstr("the context holds 20"));
}

TEST_F(ChatPromptTest, AnAnswerThatFillsTheContextGetsRoom) {
  const int64_t all = std::ssize(renderer_.Render(conversation_, ThinkMode::kOff)->ids);
  const auto shorter = ShortenPrompt(renderer_, ThinkMode::kOff, all + 20, 20, &conversation_);
  ASSERT_TRUE(shorter.has_value());
  EXPECT_GT(shorter->dropped_turns, 1);
  EXPECT_EQ(conversation_.turns(), 11 - shorter->dropped_turns);
  EXPECT_EQ(conversation_.system(), "Be brief.");
  EXPECT_LE(std::ssize(shorter->prompt.ids) + 20, (all + 20) * 3 / 4 + 1);
}

TEST_F(ChatPromptTest, TheTurnThatIsAnsweredStays) {
  while (conversation_.DropOldestTurn()) {
  }
  const int64_t all = std::ssize(renderer_.Render(conversation_, ThinkMode::kOff)->ids);
  EXPECT_FALSE(ShortenPrompt(renderer_, ThinkMode::kOff, all + 20, 20, &conversation_));
  conversation_.AddUser("And 2 + 2?");
  EXPECT_FALSE(ShortenPrompt(renderer_, ThinkMode::kOff, all + 20, all + 20, &conversation_))
      << "the answer alone is too long";
  EXPECT_EQ(conversation_.turns(), 2) << "so that nothing is lost for it";
}

}  // namespace
}  // namespace infer
