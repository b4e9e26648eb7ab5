// SPDX-License-Identifier: Apache-2.0
#include "frontends/chat/chat_template.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "ir/base/json.h"
#include "ir/base/strings.h"
#include "tests/frontends/tokenizer/vocabulary_file.h"

namespace infer {
namespace {

using ::testing::HasSubstr;

Json ReadCases(const char* name) {
  std::ifstream stream(std::string(INFER_TEST_DATA "/") + name);
  return Json::parse(stream);
}

// 2026-01-02 03:04:05, the time that make_template_cases.py uses.
RenderOptions FixedTime() {
  RenderOptions options;
  options.clock = {true, 1'767'323'045};
  return options;
}

std::string Render(std::string_view text, std::string_view request = R"({"messages": []})",
                   const RenderOptions& options = FixedTime()) {
  auto compiled = ChatTemplate::Compile(text);
  auto rendered = compiled.ok() ? compiled->Render(request, options) : compiled.status();
  return rendered.ok() ? rendered->text() : StrCat("error: ", ToStd(rendered.status().message()));
}

// Rendered by make_template_cases.py with Python's jinja2.
TEST(ChatTemplate, EqualsJinja2ToTheByte) {
  const Json data = ReadCases("chat_template_cases.json");
  EXPECT_GE(data.at("cases").size(), 60u);
  size_t rendered = 0;
  for (const auto& c : data.at("cases")) {
    auto compiled = ChatTemplate::Compile(c.at("template").get<std::string>());
    ASSERT_TRUE(compiled.ok()) << c.at("name") << ": " << compiled.status();
    for (size_t i = 0; i < data.at("conversations").size(); ++i) {
      auto text = compiled->Render(data.at("conversations")[i].get<std::string>(), FixedTime());
      const auto& expected = c.at("rendered")[i];
      if (expected.is_null()) {
        EXPECT_FALSE(text.ok()) << c.at("name") << ", conversation " << i << ": " << text->text();
      } else {
        ASSERT_TRUE(text.ok()) << c.at("name") << ", conversation " << i << ": " << text.status();
        EXPECT_EQ(text->text(), expected.get<std::string>())
            << c.at("name") << ", conversation " << i;
        ++rendered;
      }
    }
  }
  EXPECT_GE(rendered, 300u);
}

// Rendered by Hugging Face's apply_chat_template from the template of Qwen3's files.
TEST(ChatTemplate, RendersQwen3sTemplate) {
  const std::string text = LoadVocabularyFixture(INFER_TEST_DATA "/qwen3-vocab.gguf").chat_template;
  auto compiled = ChatTemplate::Compile(text);
  ASSERT_TRUE(compiled.ok()) << compiled.status();
  const Json cases = ReadCases("qwen3_chat_cases.json").at("cases");
  ASSERT_EQ(cases.size(), 32u);
  for (const auto& c : cases) {
    Json request = c.at("options");
    request["messages"] = c.at("messages");
    if (c.contains("tools")) request["tools"] = c.at("tools");
    auto rendered = compiled->Render(request.dump());
    ASSERT_TRUE(rendered.ok()) << c.at("name") << ": " << rendered.status();
    EXPECT_EQ(rendered->text(), c.at("rendered").get<std::string>()) << c.at("name");
  }
  EXPECT_TRUE(compiled->Reads("enable_thinking"));
  EXPECT_TRUE(compiled->Reads("tools"));
  EXPECT_FALSE(compiled->Reads("documents"));
}

TEST(ChatTemplate, ErrorsNameThePlace) {
  EXPECT_EQ(Render("ab\n  {{ x + }}"),
            "error: chat template, line 2, column 10: found }}, expected an expression");
  EXPECT_EQ(Render("ä{{ nope.x }}"), "error: chat template, line 1, column 9: 'nope' is undefined");
  EXPECT_EQ(Render("{% if true %}\n..."),
            "error: chat template, line 1, column 4: this block has no end; add {% endif %}");
  EXPECT_EQ(Render("{{ 'abc }}"),
            "error: chat template, line 1, column 4: this string has no end; add a quote");
  EXPECT_EQ(Render("{{ raise_exception('No system role') }}"),
            "error: chat template, line 1, column 19: the template refuses this conversation: No "
            "system role");
  EXPECT_EQ(Render("{% macro m(a) %}\n{{ a.b.c }}{% endmacro %}{{ m({}) }}"),
            "error: chat template, line 2, column 7: 'dict object' has no attribute 'b'");
}

TEST(ChatTemplate, NamesWhatIsNotSupported) {
  for (const char* statement : {"include 'x'", "import 'x' as y", "from 'x' import y",
                                "extends 'x'", "block x", "do x", "trans", "autoescape true"}) {
    EXPECT_THAT(Render(StrCat("{% ", statement, " %}")),
                HasSubstr(StrCat("the statement '",
                                 std::string(statement).substr(0, std::string(statement).find(' ')),
                                 "' is not supported")));
  }
  EXPECT_THAT(Render("{{ 1 | wordwrap }}"), HasSubstr("the filter 'wordwrap' is not supported"));
  EXPECT_THAT(Render("{{ 1 is wonderful }}"), HasSubstr("the test 'wonderful' is not supported"));
  EXPECT_THAT(Render("{{ 'a'.encode() }}"),
              HasSubstr("the method 'encode' of str is not supported"));
  EXPECT_THAT(Render("{% for x in [1] recursive %}{% endfor %}"), HasSubstr("recursive loops"));
  EXPECT_THAT(Render("{{ f(*x) }}"), HasSubstr("arguments with * and **"));
}

TEST(ChatTemplate, RefusesInvalidRequestsWithTheirPath) {
  EXPECT_THAT(Render("x", "{\"messages\": [{\"role\": \"user\", \"content\": tru}]}"),
              HasSubstr("the request at messages[0].content is not valid JSON"));
  EXPECT_EQ(Render("x", "{}"), "error: the request has no messages; add a list of messages");
  EXPECT_EQ(Render("x", "3"),
            "error: the request is neither a JSON object with messages nor an array of messages");
  EXPECT_EQ(Render("x", R"([{"role": "user"}, 5])"),
            "error: the request has a value of type int at messages[1], expected an object");
  EXPECT_EQ(Render("x", R"([{"content": "a"}])"),
            "error: the request has no role at messages[0]; add system, user, assistant or tool");
  EXPECT_EQ(Render("x", R"([{"role": 1}])"),
            "error: the request has a value of type int at messages[0].role, expected a string");
  EXPECT_THAT(Render("x", std::string(200, '[')), HasSubstr("nested deeper than 128"));
}

TEST(ChatTemplate, TakesMessagesOfTheLibrary) {
  auto compiled = ChatTemplate::Compile(
      "{% for m in messages %}{{ m.role }}:{{ m.content }}{{ m.tool_calls | default('') }};"
      "{% endfor %}{{ tools | tojson }}{{ enable_thinking }}{{ add_generation_prompt }}{{ bos }}");
  std::vector<ChatMessage> messages = {
      {"user", "Hi", {}, {}},
      {"assistant", "", "why", {{"f", "{\"a\": 1.0}", false}, {"g", "{", true}}}};
  ChatOptions chat;
  chat.enable_thinking = false;
  chat.tools = {"{\"name\":\"f\"}"};
  RenderOptions options;
  options.variables = {{"bos", "\"<s>\""}};
  auto text = compiled->Render(messages, chat, options);
  ASSERT_TRUE(text.ok()) << text.status();
  EXPECT_EQ(
      text->text(),
      "user:Hi;assistant:[{'type': 'function', 'function': {'name': 'f', 'arguments': {'a': "
      "1.0}}}, {'type': 'function', 'function': {'name': 'g', 'arguments': '{'}}];[{\"name\": "
      "\"f\"}]FalseTrue<s>");
  messages[1].tool_calls[0].arguments = "{";
  EXPECT_THAT(std::string(compiled->Render(messages, chat).status().message()),
              HasSubstr("messages[1].tool_calls[0].function.arguments is not valid JSON"));
  EXPECT_FALSE(compiled->Render(std::span<const ChatMessage>(), chat).ok());
}

}  // namespace
}  // namespace infer
