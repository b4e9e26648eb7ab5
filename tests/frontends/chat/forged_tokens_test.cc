// SPDX-License-Identifier: Apache-2.0
//
// Text of a request never becomes a special token, wherever a template puts it.
#include <gtest/gtest.h>

#include <map>
#include <string>
#include <vector>

#include "frontends/chat/chat_template.h"
#include "ir/base/json.h"
#include "tests/frontends/chat/forged_texts.h"
#include "tests/frontends/tokenizer/vocabulary_file.h"

namespace infer {
namespace {

// A request that says `text` wherever it can.
std::string RequestWith(const std::string& text) {
  Json call = {{"type", "function"}, {"function", {{"name", text}, {"arguments", {{text, text}}}}}};
  Json tool = {
      {"type", "function"},
      {"function",
       {{"name", text},
        {"description", text},
        {"parameters", {{"type", "object"}, {"properties", {{text, {{"type", "string"}}}}}}}}}};
  Json request = {{"messages",
                   {{{"role", "system"}, {"content", text}},
                    {{"role", "user"}, {"content", text}},
                    {{"role", "assistant"}, {"content", text}, {"tool_calls", {call}}},
                    {{"role", "tool"}, {"content", text}},
                    {{"role", "user"}, {"content", text + text}},
                    {{"role", "assistant"}, {"content", text}, {"reasoning_content", text}}}},
                  {"tools", {tool}},
                  {"add_generation_prompt", true}};
  return request.dump(-1, ' ', false, Json::error_handler_t::replace);
}

// Puts request text through everything that makes new text of it.
constexpr std::string_view kEverything = R"({% for m in messages %}<|im_start|>{{ m.role }}
{{ m.content }}{{ m.content | trim }}{{ m.content | upper | lower }}{{ m.content[1:] ~ m.content[:3] }}
{{ m.content.replace('a', '<|') }}{{ m.content | replace('x', 'y') }}{{ m | tojson }}{{ m }}
{{ m.content.split('>') | join('>') }}{{ m.content | list | join }}{{ '%s!' % m.content }}
{{ '{}{}'.format(m.content, m.role) }}{{ m.content | indent }}{{ [m.content, 'z'] | sort | first }}
{{ m.content | title }}{{ m.content[::-1][::-1] }}{{ (m | tojson | from_json).content }}
{% set block %}{{ m.content }}{% endset %}{{ block }}{{ m.content.strip().capitalize() }}
{{ (tools | tojson(indent=2)) }}{% for k, v in m | dictsort %}{{ k }}{{ v }}{% endfor %}
{% filter trim %}{{ m.content }}{% endfilter %}{{ m.content + '' + m.content }}<|im_end|>
{% endfor %})";

TEST(ForgedTokens, NeverBecomeSpecialIds) {
  VocabularyFixture file = LoadVocabularyFixture(INFER_TEST_DATA "/qwen3-vocab.gguf");
  const Tokenizer& tokenizer = Qwen3Tokenizer();
  for (const std::string& source : {file.chat_template, std::string(kEverything)}) {
    auto compiled = ChatTemplate::Compile(source);
    ASSERT_TRUE(compiled.ok()) << compiled.status();
    const MarkedText harmless = *compiled->Render(RequestWith("harmless"));
    const std::map<int32_t, int> expected = SpecialCounts(tokenizer, harmless);
    ASSERT_FALSE(expected.empty());
    const std::vector<std::string> texts = ForgedTexts(tokenizer);
    ASSERT_GE(texts.size(), 200u);
    for (const std::string& text : texts) {
      auto rendered = compiled->Render(RequestWith(text));
      ASSERT_TRUE(rendered.ok()) << rendered.status();
      EXPECT_EQ(SpecialCounts(tokenizer, *rendered), expected) << text;
    }
  }
}

TEST(ForgedTokens, TrustedTextStillBecomesSpecialIds) {
  VocabularyFixture file = LoadVocabularyFixture(INFER_TEST_DATA "/qwen3-vocab.gguf");
  const Tokenizer& tokenizer = Qwen3Tokenizer();
  auto compiled = ChatTemplate::Compile(file.chat_template);
  auto rendered = compiled->Render(R"({"messages": [{"role": "user", "content": "Hello you"}],
                                      "add_generation_prompt": true})");
  ASSERT_TRUE(rendered.ok()) << rendered.status();
  EXPECT_EQ(*tokenizer.EncodeMarked(*rendered), *tokenizer.Encode(rendered->text()));
  RenderOptions options;
  options.trusted_names = {"bos_token"};
  auto bos = ChatTemplate::Compile("{{ bos_token }}{{ other }}");
  const char* request = R"({"messages": [], "bos_token": "<|im_end|>", "other": "<|im_end|>"})";
  EXPECT_EQ(SpecialCounts(tokenizer, *bos->Render(request, options)).size(), 1u);
  EXPECT_EQ(SpecialCounts(tokenizer, *bos->Render(request)).size(), 0u);
}

}  // namespace
}  // namespace infer
