// SPDX-License-Identifier: Apache-2.0
#include "tools/run/conversation_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "tests/tools/cli/captured_run.h"

namespace infer {
namespace {

using ::testing::HasSubstr;

std::string ErrorFor(const std::string& text) {
  TempDir dir;
  WriteFile(dir.Path("c.json"), text);
  const auto loaded = LoadConversation(dir.Path("c.json"));
  EXPECT_FALSE(loaded.ok()) << text;
  const std::string message(loaded.status().message());
  EXPECT_THAT(message, HasSubstr("c.json: "));
  return message;
}

TEST(ConversationFile, ComesBackAsItWasSaved) {
  TempDir dir;
  std::vector<ChatMessage> messages(3);
  messages[0].role = "system";
  messages[0].content = "Be \"brief\".\n漢字";
  messages[1].role = "user";
  messages[2].role = "assistant";
  messages[2].reasoning_content = "hm";
  messages[2].tool_calls.push_back({"add", "{\"a\": 1}", true});
  ASSERT_TRUE(SaveConversation(messages, dir.Path("c.json")).ok());
  EXPECT_THAT(dir.Names(), ::testing::ElementsAre("c.json"));
  const auto loaded = LoadConversation(dir.Path("c.json"));
  ASSERT_TRUE(loaded.ok()) << loaded.status();
  ASSERT_EQ(loaded->size(), 3u);
  EXPECT_EQ((*loaded)[0].content, messages[0].content);
  EXPECT_EQ((*loaded)[1].reasoning_content, std::nullopt);
  EXPECT_EQ((*loaded)[2].reasoning_content, "hm");
  ASSERT_EQ((*loaded)[2].tool_calls.size(), 1u);
  EXPECT_EQ((*loaded)[2].tool_calls[0].arguments, "{\"a\": 1}");
}

TEST(ConversationFile, ReadsFilesOfOthers) {
  TempDir dir;
  WriteFile(dir.Path("c.json"),
            R"([{"role": "user", "content": null, "name": "x"},
                {"role": "assistant", "tool_calls": [{"name": "f", "arguments": {"a": [1]}},
                                                     {"name": "g"}]}])");
  const auto loaded = LoadConversation(dir.Path("c.json"));
  ASSERT_TRUE(loaded.ok()) << loaded.status();
  EXPECT_EQ((*loaded)[1].tool_calls[0].arguments, "{\"a\":[1]}");
  EXPECT_FALSE((*loaded)[1].tool_calls[0].arguments_are_text);
  EXPECT_EQ((*loaded)[1].tool_calls[1].arguments, "{}");
}

TEST(ConversationFile, SaysWhatIsWrong) {
  EXPECT_THAT(ErrorFor("{"), HasSubstr("is not JSON"));
  EXPECT_THAT(ErrorFor("{}"), HasSubstr("has no array \"messages\""));
  EXPECT_THAT(ErrorFor(R"({"messages": [1]})"), HasSubstr("message 1: is not an object"));
  EXPECT_THAT(ErrorFor(R"([{"role": "user"}, {"content": "x"}])"),
              HasSubstr("message 2: \"role\" is missing"));
  EXPECT_THAT(ErrorFor(R"([{"role": "bot"}])"), HasSubstr("\"role\" is \"bot\", expected system"));
  EXPECT_THAT(ErrorFor(R"([{"role": "user", "content": 1}])"),
              HasSubstr("\"content\" is number, expected a string"));
  EXPECT_THAT(ErrorFor(R"([{"role": "user"}, {"role": "system"}])"),
              HasSubstr("message 2: a system message must be the first"));
  EXPECT_THAT(ErrorFor(std::string(100'000, '[')), HasSubstr("c.json: "));
  EXPECT_THAT(ErrorFor(std::string(100'000, '[') + std::string(100'000, ']')),
              HasSubstr("nested deeper than 64"));
  EXPECT_FALSE(LoadConversation("/nowhere").ok());
  EXPECT_THAT(std::string(SaveConversation({}, "/nowhere/c.json").message()),
              HasSubstr("/nowhere/c.json"));
}

}  // namespace
}  // namespace infer
