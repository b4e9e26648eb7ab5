// SPDX-License-Identifier: Apache-2.0
#include "tools/api/answer_reader.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace infer {
namespace {

using ::testing::Eq;
using ::testing::Optional;

const std::vector<std::string> kTools = {R"({"type": "function", "function": {"name": "add"}})"};
constexpr char kAnswer[] =
    "<think>\nAdd them.\n</think>\n\nOne moment.\n<tool_call>\n"
    R"({"name": "add", "arguments": {"a":  1, "b": 2}})"
    "\n</tool_call>";

struct Shown {
  std::string thought, content, names, arguments;
};

// Feeds an answer in pieces of `bytes`.
ChatMessage Read(std::string_view answer, size_t bytes, bool open,
                 const std::vector<std::string>& tools, Shown* shown) {
  AnswerReader reader(open, tools, [&](AnswerPart part, std::string_view text) {
    std::string* to = part == AnswerPart::kThought    ? &shown->thought
                      : part == AnswerPart::kContent  ? &shown->content
                      : part == AnswerPart::kToolName ? &shown->names
                                                      : &shown->arguments;
    *to += text;
    return true;
  });
  for (size_t at = 0; at < answer.size(); at += bytes) {
    EXPECT_TRUE(reader.Feed(answer.substr(at, bytes)));
  }
  EXPECT_TRUE(reader.Finish());
  return reader.TakeMessage();
}

TEST(AnswerReader, TakesAnAnswerApartHoweverItComes) {
  for (size_t bytes = 1; bytes < sizeof(kAnswer); ++bytes) {
    Shown shown;
    const ChatMessage message = Read(kAnswer, bytes, false, kTools, &shown);
    EXPECT_EQ(message.role, "assistant");
    EXPECT_THAT(message.reasoning_content, Optional(Eq("Add them.")));
    EXPECT_EQ(message.content, "One moment.");
    ASSERT_EQ(message.tool_calls.size(), 1u);
    EXPECT_EQ(message.tool_calls[0].name, "add");
    EXPECT_EQ(message.tool_calls[0].arguments, R"({"a":  1, "b": 2})");
    EXPECT_EQ(shown.thought, "\nAdd them.\n");
    EXPECT_EQ(shown.content, "\n\nOne moment.\n");
    EXPECT_EQ(shown.names, "add");
  }
}

TEST(AnswerReader, WithoutToolsCallsAreText) {
  Shown shown;
  const ChatMessage message = Read(kAnswer, 5, false, {}, &shown);
  EXPECT_TRUE(message.tool_calls.empty());
  EXPECT_THAT(message.content, ::testing::HasSubstr("<tool_call>"));
}

TEST(AnswerReader, KnowsThatThePromptHasOpenedTheThought) {
  Shown shown;
  const ChatMessage message = Read("hm</think>Yes.", 3, true, {}, &shown);
  EXPECT_THAT(message.reasoning_content, Optional(Eq("hm")));
  EXPECT_EQ(message.content, "Yes.");
}

TEST(AnswerReader, LeavesAPlainAnswerAsItIs) {
  Shown shown;
  const ChatMessage message = Read("\n1 < 2\n", 2, false, {}, &shown);
  EXPECT_EQ(message.reasoning_content, std::nullopt);
  EXPECT_EQ(message.content, "\n1 < 2\n");
}

TEST(AnswerReader, EndsWhenNobodyWantsMore) {
  AnswerReader reader(false, {}, [](AnswerPart, std::string_view) { return false; });
  EXPECT_FALSE(reader.Feed("text"));
}

}  // namespace
}  // namespace infer
