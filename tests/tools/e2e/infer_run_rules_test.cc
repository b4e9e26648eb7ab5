// SPDX-License-Identifier: Apache-2.0
//
// infer-run with tools, bounded thoughts, templates from files, schemas and grammars.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "tests/tools/e2e/tool_run.h"
#include "tools/cli/exit_code.h"

namespace infer {
namespace {

using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

constexpr char kTools[] = R"([{"type": "function", "function": {"name": "get_weather",
  "description": "Weather of a city", "parameters": {"type": "object",
  "properties": {"city": {"type": "string"}}, "required": ["city"]}}}])";

class InferRunRules : public ::testing::Test {
 protected:
  std::string File(const std::string& name, const std::string& text) {
    WriteFile(dir_.Path(name), text);
    return dir_.Path(name);
  }
  CapturedRun Run(std::vector<std::string> args) {
    args.insert(args.begin(), {"--temp", "0", "-s", "1"});
    return RunNamed("infer-run", args);
  }
  TempDir dir_;
};

TEST_F(InferRunRules, AChatShowsCallsAndReadsTheirResults) {
  const std::string tools = File("tools.json", kTools);
  const CapturedRun shown =
      Run({"--chat", "--tools", tools, "-p", "What is the weather in Paris?"});
  EXPECT_EQ(shown.code, kExitOk) << shown.err;
  EXPECT_THAT(shown.out, HasSubstr("\n[tool call] get_weather\n{\"city\": \"Paris\"}\n"));

  StdinText lines("What is the weather in Paris?\n{\"weather\": \"sunny\"}\n");
  const CapturedRun answered = Run({"--chat", "--tools", tools});
  EXPECT_EQ(answered.code, kExitOk) << answered.err;
  EXPECT_THAT(answered.out, StartsWith(shown.out));
  EXPECT_GT(answered.out.size(), shown.out.size() + 10) << "the result is answered";
}

TEST_F(InferRunRules, CallsKeepToTheSchemasOfTheTools) {
  const std::string tools = File("tools.json", R"([{"name": "roll", "parameters": {"type": "object",
      "properties": {"sides": {"enum": [6, 20]}, "why": {"type": "string", "maxLength": 5}},
      "required": ["sides", "why"], "additionalProperties": false}}, {"name": "flip"}])");
  for (const char* seed : {"1", "2", "3"}) {
    const CapturedRun run =
        RunNamed("infer-run", {"--chat", "--tools", tools, "--tool-choice", "roll", "--reasoning",
                               "off", "-p", "Hello", "-s", seed, "--temp", "2", "-q"});
    ASSERT_EQ(run.code, kExitOk) << run.err;
    ASSERT_THAT(run.out, StartsWith("[tool call] roll\n")) << "nothing but the call";
    const nlohmann::json arguments =
        nlohmann::json::parse(run.out.substr(run.out.find('\n')), nullptr, false);
    ASSERT_TRUE(arguments.is_object()) << run.out;
    EXPECT_EQ(arguments.size(), 2u);
    EXPECT_TRUE(arguments["sides"] == 6 || arguments["sides"] == 20) << run.out;
  }
  const CapturedRun none = Run({"--chat", "--tools", tools, "--tool-choice", "none", "-p",
                                "What is the weather in Paris?", "-q"});
  EXPECT_THAT(none.out, Not(HasSubstr("[tool call]")));
  EXPECT_THAT(Run({"--chat", "--tools", tools, "--tool-choice", "spin", "-p", "Hello"}).err,
              HasSubstr("there is no tool \"spin\" to call; the tools are roll, flip"));
  EXPECT_EQ(Run({"--chat", "--tool-choice", "none", "-p", "Hello"}).code, kExitUsage);
}

TEST_F(InferRunRules, ARequiredCallIsFollowedByAnAnswer) {
  const std::string tools = File("tools.json", kTools);
  StdinText lines("Hello\n{\"weather\": \"sunny\"}\n");
  const CapturedRun run = Run({"--chat", "--tools", tools, "--tool-choice", "required"});
  EXPECT_EQ(run.code, kExitOk) << run.err;
  EXPECT_EQ(run.out.find("[tool call]"), run.out.rfind("[tool call]")) << run.out;
}

TEST_F(InferRunRules, ASchemaThatCannotBindATool) {
  const std::string tools = File("tools.json", R"([{"name": "f", "parameters": {"not": {}}}])");
  const CapturedRun run = Run({"--chat", "--tools", tools, "-p", "Hello", "-n", "1"});
  EXPECT_EQ(run.code, kExitOk);
  EXPECT_THAT(run.err, HasSubstr("warning: tools[0] (f), parameters: JSON schema, #/not: "));
  EXPECT_EQ(Run({"--chat", "--tools", tools, "--no-bind-tools", "-p", "Hello", "-n", "1"})
                .err.find("warning"),
            std::string::npos);
}

TEST_F(InferRunRules, AThoughtEndsWithItsBudget) {
  const CapturedRun run =
      Run({"--chat", "--reasoning", "on", "--think-budget", "6", "-p", "What is 47 + 38?"});
  EXPECT_EQ(run.code, kExitOk) << run.err;
  EXPECT_THAT(run.out, StartsWith("<think>\n47 + 38</think>"));
  EXPECT_EQ(Run({"--chat", "--think-budget", "0", "-p", "What is 2 + 3?"}).out.find('\n'),
            Run({"--chat", "--think-budget", "0", "-p", "What is 2 + 3?"}).out.size() - 1)
      << "nothing of the thought, and no empty lines for it";
  EXPECT_THAT(Run({"--chat", "--reasoning", "off", "-p", "What is 47 + 38?"}).out,
              StartsWith("47 + 38 = 85"));
}

TEST_F(InferRunRules, ATemplateOfAFileIsUsed) {
  const std::string plain = File("plain.jinja",
                                 "{% for m in messages %}{{ m.role }}: {{ m.content }}\n"
                                 "{% endfor %}assistant:");
  const CapturedRun run =
      Run({"--chat", "--chat-template", plain, "-p", "Hello", "-n", "2", "-vv"});
  EXPECT_EQ(run.code, kExitOk) << run.err;
  EXPECT_THAT(run.err, HasSubstr("user: Hello\\nassistant:"));
  const CapturedRun wrong =
      Run({"--chat", "--chat-template", File("wrong.jinja", "{% if %}"), "-p", "Hello"});
  EXPECT_EQ(wrong.code, kExitBadInput);
  EXPECT_THAT(wrong.err, HasSubstr("wrong.jinja: "));
  const CapturedRun late =
      Run({"--chat", "--chat-template", File("late.jinja", "{{ a.b.c }}"), "-p", "Hello"});
  EXPECT_EQ(late.code, kExitBadInput);
  EXPECT_THAT(late.err, HasSubstr("late.jinja: chat template, line 1, column "));
}

TEST_F(InferRunRules, TextKeepsToASchema) {
  const std::string schema = File("schema.json", R"({"type": "object", "properties":
      {"name": {"type": "string", "maxLength": 8}, "age": {"type": "integer", "maximum": 120}},
      "required": ["name", "age"], "additionalProperties": false})");
  const CapturedRun run = Run({"-p", "Who: ", "--json-schema", schema, "-n", "200", "-q"});
  ASSERT_EQ(run.code, kExitOk) << run.err;
  const nlohmann::json json = nlohmann::json::parse(run.out, nullptr, false);
  ASSERT_TRUE(json.is_object()) << run.out;
  EXPECT_LE(json["age"].get<int>(), 120);
  EXPECT_EQ(Run({"-p", "Say: ", "--grammar", File("g.gbnf", "root ::= \"yes\" | \"no\""), "-q"})
                .out.substr(0, 1)
                .find_first_of("yn"),
            0u);
  EXPECT_TRUE(nlohmann::json::accept(
      Run({"--chat", "-p", "Hello", "--json", "-q", "--reasoning", "off", "-n", "400"}).out));
}

TEST_F(InferRunRules, MistakesAreNamedBeforeTheModelIsLoaded) {
  EXPECT_THAT(Run({"-p", "x", "--json", "--grammar", "g"}).err,
              HasSubstr("give one of --json-schema, --grammar and --json"));
  EXPECT_THAT(Run({"-p", "x", "--tools", "t"}).err, HasSubstr("--tools applies to --chat only"));
  const CapturedRun schema =
      Run({"-p", "x", "--json-schema", File("s.json", R"({"patternProperties": {}})")});
  EXPECT_EQ(schema.code, kExitBadInput);
  EXPECT_THAT(schema.err, HasSubstr("/patternProperties"));
  EXPECT_THAT(
      Run({"-p", "x", "--json-schema", File("comma.json", "{\"a\":}")}).err,
      HasSubstr("comma.json: JSON schema: not valid JSON: parse error at line 1, column 6"));
  EXPECT_THAT(Run({"-p", "x", "--json-schema", dir_.Path("none.json")}).err,
              HasSubstr("none.json"));
}

}  // namespace
}  // namespace infer
