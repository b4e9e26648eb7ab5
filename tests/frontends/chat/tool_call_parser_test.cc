// SPDX-License-Identifier: Apache-2.0
#include "frontends/chat/tool_call_parser.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>
#include <vector>

#include "ir/base/strings.h"

namespace infer {
namespace {

using Kind = ToolCallParser::Kind;

// What the parser makes of an answer, with pieces of content joined: "text[name(arguments)]".
std::string Parsed(const std::vector<std::string_view>& pieces,
                   const std::vector<std::string>& tools = {}) {
  std::string out;
  ToolCallParser parser(tools, [&](Kind kind, std::string_view text) {
    switch (kind) {
      case Kind::kContent:
        out += text;
        break;
      case Kind::kCallBegin:
        StrAppend(&out, "[", text, "(");
        break;
      case Kind::kArguments:
        out += text;
        break;
      case Kind::kCallEnd:
        out += ")]";
        break;
    }
  });
  for (std::string_view piece : pieces) parser.Feed(piece);
  parser.Finish();
  return out;
}

std::vector<std::string_view> CutAt(std::string_view text, const std::vector<size_t>& cuts) {
  std::vector<std::string_view> pieces;
  size_t begin = 0;
  for (size_t cut : cuts) {
    pieces.push_back(text.substr(begin, cut - begin));
    begin = cut;
  }
  pieces.push_back(text.substr(begin));
  return pieces;
}

const std::string kTool =
    R"({"type": "function", "function": {"name": "f", "parameters": {"type": "object", "properties":
    {"n": {"type": "integer"}, "s": {"type": "string"}, "o": {"type": ["object", "null"]}}}}})";

struct Case {
  std::string answer;
  std::string parsed;
};

const std::vector<Case>& Cases() {
  static const auto* const cases = new std::vector<Case>{
      {"plain text", "plain text"},
      {"a <tool_call>\n{\"name\": \"f\", \"arguments\": {\"a\":  1.50}}\n</tool_call> b",
       "a [f({\"a\":  1.50})] b"},
      {"<tool_call>{\"arguments\": {\"x\": \"</tool_call>\"}, \"name\": \"g\"}</tool_call>",
       "[g({\"x\": \"</tool_call>\"})]"},
      {"<tool_call>{\"name\": \"a\"}</tool_call>\n<tool_call>{\"name\": \"b\", \"arguments\": {}}"
       "</tool_call>",
       "[a({})]\n[b({})]"},
      {"<tool_call>\n<function=f>\n<parameter=s>\nline 1\n  \"two\" <b>\n</parameter>\n"
       "<parameter=n>\n42\n</parameter>\n</function>\n</tool_call>",
       "[f({\"s\": \"line 1\\n  \\\"two\\\" <b>\", \"n\": 42})]"},
      {"<tool_call><function=f><parameter=n>not a number</parameter><parameter=o>{\"k\": [1]}"
       "</parameter></function></tool_call>",
       "[f({\"n\": \"not a number\", \"o\": {\"k\": [1]}})]"},
      {"<tool_call><function=f></function></tool_call>", "[f({})]"},
      // No calls.
      {"<tool_call>", "<tool_call>"},
      {"<tool_call>{\"name\": \"f\"", "<tool_call>{\"name\": \"f\""},
      {"<tool_call>{\"name\": f}</tool_call>", "<tool_call>{\"name\": f}</tool_call>"},
      {"<tool_call>{\"name\": 1, \"arguments\": {}}</tool_call>",
       "<tool_call>{\"name\": 1, \"arguments\": {}}</tool_call>"},
      {"<tool_call>{\"name\": \"f\", \"arguments\": 3}</tool_call>",
       "<tool_call>{\"name\": \"f\", \"arguments\": 3}</tool_call>"},
      {"<tool_call>{\"name\": \"f\"} x</tool_call>", "<tool_call>{\"name\": \"f\"} x</tool_call>"},
      {"<tool_call>hello</tool_call>", "<tool_call>hello</tool_call>"},
      {"<tool_call><function=></function></tool_call>",
       "<tool_call><function=></function></tool_call>"},
      {"<tool_call><function=f><parameter=x>1</function></tool_call>",
       "<tool_call><function=f><parameter=x>1</function></tool_call>"},
      {"a < b <tool", "a < b <tool"},
      // Text that is no call does not hide the call after it.
      {"<tool_call>oops <tool_call>{\"name\": \"f\"}</tool_call>", "<tool_call>oops [f({})]"},
      {"<tool_call>{\"a\" <tool_call>{\"name\": \"f\"}</tool_call>z", "<tool_call>{\"a\" [f({})]z"},
  };
  return *cases;
}

TEST(ToolCallParser, FindsCallsAndLosesNothing) {
  for (const Case& c : Cases()) EXPECT_EQ(Parsed({c.answer}, {kTool}), c.parsed);
}

TEST(ToolCallParser, DoesNotDependOnHowTextIsCut) {
  std::mt19937 random(17);
  for (const Case& c : Cases()) {
    std::vector<size_t> all;
    for (size_t i = 1; i < c.answer.size(); ++i) {
      EXPECT_EQ(Parsed(CutAt(c.answer, {i}), {kTool}), c.parsed) << "cut at " << i;
      all.push_back(i);
    }
    EXPECT_EQ(Parsed(CutAt(c.answer, all), {kTool}), c.parsed) << "byte by byte";
    for (int round = 0; round < 50; ++round) {
      std::vector<size_t> cuts;
      for (size_t i = 1; i < c.answer.size(); ++i) {
        if (random() % 5 == 0) cuts.push_back(i);
      }
      EXPECT_EQ(Parsed(CutAt(c.answer, cuts), {kTool}), c.parsed);
    }
  }
}

// Random mixtures of the parts of calls: what is emitted does not depend on the cuts, and without
// a valid call it is the text itself.
TEST(ToolCallParser, KeepsRandomText) {
  const std::string_view parts[] = {"<tool_call>",
                                    "</tool_call>",
                                    "{\"name\": \"f\"",
                                    "}",
                                    "{",
                                    "\"",
                                    "<function=f>",
                                    "</function>",
                                    "<parameter=k>",
                                    "</parameter>",
                                    "text ",
                                    "\n",
                                    ", \"arguments\": {\"a\": 1}",
                                    "<",
                                    "\\"};
  std::mt19937 random(5);
  int with_calls = 0;
  for (int round = 0; round < 20'000; ++round) {
    std::string answer;
    for (size_t i = random() % 12; i > 0; --i) answer += parts[random() % std::size(parts)];
    const std::string whole = Parsed({answer});
    std::vector<size_t> cuts;
    for (size_t i = 1; i < answer.size(); ++i) {
      if (random() % 3 == 0) cuts.push_back(i);
    }
    ASSERT_EQ(Parsed(CutAt(answer, cuts)), whole) << answer;
    if (whole.find("[f(") == std::string::npos) {
      ASSERT_EQ(whole, answer);
    } else {
      ++with_calls;
    }
  }
  EXPECT_GT(with_calls, 2);
}

TEST(ToolCallParser, PassesTextOnAtOnce) {
  std::string out;
  ToolCallParser parser({}, [&](Kind, std::string_view text) { out += text; });
  parser.Feed("Hello <");
  EXPECT_EQ(out, "Hello ");
  parser.Feed("b");
  EXPECT_EQ(out, "Hello <b");
  parser.Feed("<tool_call>no");
  EXPECT_EQ(out, "Hello <b<tool_call>no");
  parser.Feed("<tool_call>{\"name\": \"f\"}</tool_call>");
  EXPECT_EQ(parser.calls(), 1);
}

TEST(ToolCallParser, EndsWithManyTags) {
  std::string answer = "<tool_call>{\"name\": \"f\", \"arguments\": {\"a\": \"";
  for (int i = 0; i < 20'000; ++i) answer += "</tool_call>";
  EXPECT_EQ(Parsed({answer}), answer);
  std::string opens;
  for (int i = 0; i < 20'000; ++i) opens += "<tool_call>{\"";
  EXPECT_EQ(Parsed({opens}), opens);
}

}  // namespace
}  // namespace infer
