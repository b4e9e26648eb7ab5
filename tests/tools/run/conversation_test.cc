// SPDX-License-Identifier: Apache-2.0
#include "tools/run/conversation.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace infer {
namespace {

using ::testing::ElementsAre;

ChatMessage Answer(const std::string& text) {
  ChatMessage message;
  message.role = "assistant";
  message.content = text;
  return message;
}

std::vector<std::string> Contents(const Conversation& conversation) {
  std::vector<std::string> contents;
  for (const ChatMessage& message : conversation.messages()) contents.push_back(message.content);
  return contents;
}

Conversation ThreeTurns() {
  Conversation conversation;
  conversation.SetSystem("s");
  for (const char* text : {"1", "2", "3"}) {
    conversation.AddUser(text);
    conversation.Add(Answer(std::string("a") + text));
  }
  return conversation;
}

TEST(Conversation, TheSystemMessageIsTheFirst) {
  Conversation conversation;
  conversation.AddUser("u");
  EXPECT_EQ(conversation.system(), "");
  conversation.SetSystem("one");
  conversation.SetSystem("two");
  EXPECT_THAT(Contents(conversation), ElementsAre("two", "u"));
  conversation.SetSystem("");
  EXPECT_THAT(Contents(conversation), ElementsAre("u"));
}

TEST(Conversation, DropsTheOldestTurnsAndNeverTheSystemMessage) {
  Conversation conversation = ThreeTurns();
  EXPECT_TRUE(conversation.DropOldestTurn());
  EXPECT_THAT(Contents(conversation), ElementsAre("s", "2", "a2", "3", "a3"));
  EXPECT_TRUE(conversation.DropOldestTurn());
  EXPECT_FALSE(conversation.DropOldestTurn());
  EXPECT_THAT(Contents(conversation), ElementsAre("s", "3", "a3"));
}

TEST(Conversation, AnswersOfAToolGoWithTheirTurn) {
  Conversation conversation;
  conversation.Add(Answer("greeting"));
  conversation.AddUser("1");
  conversation.Add(Answer("call"));
  ChatMessage tool;
  tool.role = "tool";
  conversation.Add(tool);
  conversation.Add(Answer("a1"));
  conversation.AddUser("2");
  EXPECT_TRUE(conversation.DropOldestTurn());
  EXPECT_THAT(Contents(conversation), ElementsAre("2"));
}

TEST(Conversation, TheLastTurnOrItsAnswerCanBeTakenBack) {
  Conversation conversation = ThreeTurns();
  EXPECT_TRUE(conversation.DropAnswer());
  EXPECT_FALSE(conversation.DropAnswer());
  EXPECT_EQ(conversation.DropLastTurn(), "3");
  EXPECT_THAT(Contents(conversation), ElementsAre("s", "1", "a1", "2", "a2"));
  conversation.Clear();
  EXPECT_THAT(Contents(conversation), ElementsAre("s"));
  EXPECT_EQ(conversation.DropLastTurn(), std::nullopt);
  EXPECT_FALSE(conversation.DropAnswer());
}

}  // namespace
}  // namespace infer
