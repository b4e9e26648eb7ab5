// SPDX-License-Identifier: Apache-2.0
#include "frontends/qwen3/chat_template.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <memory>

#include "ir/base/json.h"
#include "tests/frontends/chat/forged_texts.h"
#include "tests/frontends/tokenizer/vocabulary_file.h"

namespace infer {
namespace {

using ::testing::HasSubstr;

ChatMessage MessageOf(const Json& json) {
  ChatMessage message;
  message.role = json.at("role");
  message.content = json.at("content");
  if (json.contains("reasoning_content")) message.reasoning_content = json["reasoning_content"];
  for (const auto& call : json.value("tool_calls", Json::array())) {
    const auto& function = call.at("function");
    const auto& arguments = function.at("arguments");
    bool is_text = arguments.is_string();
    message.tool_calls.push_back(
        {function.at("name"), is_text ? arguments.get<std::string>() : arguments.dump(), is_text});
  }
  return message;
}

// Rendered by Hugging Face's apply_chat_template from the template of Qwen3's files.
TEST(Qwen3Chat, EqualsHuggingFaceToTheByte) {
  std::ifstream stream(INFER_TEST_DATA "/qwen3_chat_cases.json");
  auto cases = Json::parse(stream).at("cases");
  ASSERT_EQ(cases.size(), 32u);
  for (const auto& c : cases) {
    std::vector<ChatMessage> messages;
    for (const auto& message : c.at("messages")) messages.push_back(MessageOf(message));
    ChatOptions options;
    options.add_generation_prompt = c.at("options").value("add_generation_prompt", false);
    options.enable_thinking = c.at("options").value("enable_thinking", true);
    for (const auto& tool : c.value("tools", Json::array())) {
      options.tools.push_back(tool.dump());
    }
    auto rendered = RenderQwen3Chat(messages, options);
    ASSERT_TRUE(rendered.ok()) << rendered.status();
    EXPECT_EQ(rendered->text(), c.at("rendered").get<std::string>()) << c.at("name");
  }
}

TEST(Qwen3Chat, RefusesWhatTheTemplateWouldDropSilently) {
  auto message_of = [](std::vector<ChatMessage> messages, const ChatOptions& options = {}) {
    return std::string(RenderQwen3Chat(messages, options).status().message());
  };
  EXPECT_EQ(message_of({}), "the chat has no message, expected at least one");
  EXPECT_EQ(message_of({{"user", "Hi", {}, {}}, {"robot", "Beep", {}, {}}}),
            "message 1 has the role \"robot\", expected system, user, assistant or tool");
  EXPECT_EQ(message_of({{"user", "Hi", {}, {{"f", "{}", false}}}}),
            "message 0 has tool calls, but its role is user: only the assistant calls tools");
  EXPECT_THAT(message_of({{"assistant", "Hi", {}, {{"f", "{", false}}}}),
              HasSubstr("message 0, arguments of tool call 0 is not valid JSON: "));
  ChatOptions options;
  options.tools = {"{}", "nonsense"};
  EXPECT_THAT(message_of({{"user", "Hi", {}, {}}}, options), HasSubstr("tool 1 is not valid JSON"));
}

TEST(Qwen3Chat, TakesAnEmptyReasoningAsGiven) {
  std::vector<ChatMessage> messages = {{"user", "Hi", {}, {}},
                                       {"assistant", "<think>\na\n</think>\n\nb", "", {}}};
  ChatOptions options;
  options.add_generation_prompt = false;
  EXPECT_EQ(RenderQwen3Chat(messages, options)->text(),
            "<|im_start|>user\nHi<|im_end|>\n<|im_start|>assistant\n<think>\n\n</think>\n\n"
            "<think>\na\n</think>\n\nb<|im_end|>\n");
}

// Returns the special tokens of a prompt in which every place of a message and tool says `text`.
std::map<int32_t, int> SpecialsWith(const std::string& text) {
  const std::string quoted = Json(text).dump();
  const std::string object = "{" + quoted + ": " + quoted + "}";
  ChatOptions options;
  options.tools = {R"({"type": "function", "function": {"name": )" + quoted + "}}"};
  const std::vector<ChatMessage> messages = {
      {"system", text, {}, {}},
      {"user", text, {}, {}},
      {"assistant", text, text, {{text, object, false}, {text, text, true}}},
      {"tool", text, {}, {}}};
  const auto rendered = RenderQwen3Chat(messages, options);
  EXPECT_TRUE(rendered.ok()) << rendered.status();
  return SpecialCounts(Qwen3Tokenizer(), *rendered);
}

TEST(Qwen3Chat, ForgedTokensNeverBecomeSpecialIds) {
  const std::map<int32_t, int> expected = SpecialsWith("harmless");
  ASSERT_FALSE(expected.empty());
  for (const std::string& text : ForgedTexts(Qwen3Tokenizer())) {
    EXPECT_EQ(SpecialsWith(text), expected) << text;
  }
}

TEST(Qwen3Chat, KnowsTheTemplateOfQwen3) {
  VocabularyFixture file = LoadVocabularyFixture(INFER_TEST_DATA "/qwen3-vocab.gguf");
  EXPECT_TRUE(IsKnownQwen3ChatTemplate(file.chat_template));
  EXPECT_FALSE(IsKnownQwen3ChatTemplate(file.chat_template + " "));
  EXPECT_FALSE(IsKnownQwen3ChatTemplate(""));
}

}  // namespace
}  // namespace infer
