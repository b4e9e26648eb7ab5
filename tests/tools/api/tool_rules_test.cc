// SPDX-License-Identifier: Apache-2.0
#include "tools/api/tool_rules.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "frontends/grammar/check_text.h"
#include "ir/base/strings.h"

namespace infer {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

std::string Tool(const std::string& parameters, const std::string& more = "") {
  return StrCat(R"({"type": "function", "function": {"name": "f", "parameters": )", parameters,
                more, "}}");
}

bool Accepts(const ToolRules& rules, const std::string& arguments) {
  const std::string call = StrCat("{\"name\": \"f\", \"arguments\": ", arguments, "}");
  return !CheckText(rules.grammar, call);
}

TEST(ToolRules, ArgumentsAreAnObjectWhateverTheSchemaSays) {
  const std::vector<std::string> tools[] = {
      {Tool("{}")}, {Tool("true")}, {Tool("null")}, {R"({"name": "f"})"}};
  for (const auto& one : tools) {
    const ToolRules rules = *CompileToolRules({.tools = one});
    EXPECT_THAT(rules.warnings, IsEmpty());
    EXPECT_TRUE(Accepts(rules, R"({"a": [1]})")) << one[0];
    EXPECT_FALSE(Accepts(rules, "7")) << one[0];
  }
  const std::vector<std::string> untyped = {Tool(R"({"properties": {"n": {"type": "integer"}}})")};
  const ToolRules rules = *CompileToolRules({.tools = untyped});
  EXPECT_TRUE(Accepts(rules, R"({"n": 1})"));
  EXPECT_FALSE(Accepts(rules, R"({"n": "x"})"));
  EXPECT_FALSE(Accepts(rules, "[]"));
}

TEST(ToolRules, ReferencesAreWithinTheParameters) {
  const std::vector<std::string> tools = {
      Tool(R"({"type": "object", "properties": {"a": {"$ref": "#/$defs/n"}},
               "required": ["a"], "$defs": {"n": {"type": "integer"}}})")};
  const ToolRules rules = *CompileToolRules({.tools = tools});
  EXPECT_TRUE(Accepts(rules, R"({"a": 1})"));
  EXPECT_FALSE(Accepts(rules, R"({"a": "1"})"));
}

TEST(ToolRules, UnsupportedSchemasAreFreeWithAWarningOrRefusedIfStrict) {
  const std::string schema = R"({"type": "object", "not": {}})";
  const std::vector<std::string> tools = {Tool(schema)};
  const ToolRules rules = *CompileToolRules({.tools = tools});
  EXPECT_THAT(rules.warnings,
              ElementsAre(HasSubstr("tools[0] (f), parameters: JSON schema, #/not")));
  EXPECT_TRUE(Accepts(rules, R"({"x": 1})"));
  const std::vector<std::string> strict = {Tool(schema, R"(, "strict": true)")};
  EXPECT_THAT(std::string(CompileToolRules({.tools = strict}).status().message()),
              HasSubstr("/not"));
  const std::vector<std::string> list = {Tool(R"({"type": "array"})")};
  EXPECT_THAT(CompileToolRules({.tools = list})->warnings, ElementsAre(HasSubstr("an object")));
}

TEST(ToolRules, ArgumentsCanBeLeftFree) {
  const std::string schema = R"({"type": "object", "additionalProperties": false})";
  const std::vector<std::string> bound = {Tool(schema)};
  const std::vector<std::string> loose = {Tool(schema, R"(, "strict": false)")};
  const std::string extra = R"({"x": 1})";
  EXPECT_FALSE(Accepts(*CompileToolRules({.tools = bound}), extra));
  EXPECT_TRUE(Accepts(*CompileToolRules({.tools = loose}), extra));
  EXPECT_TRUE(Accepts(*CompileToolRules({.tools = bound, .bind_arguments = false}), extra));
}

TEST(ToolRules, SaysWhatIsWrongWithTools) {
  const auto message = [](const std::vector<std::string>& tools, std::string only = "") {
    return std::string(
        CompileToolRules({.tools = tools, .only = std::move(only)}).status().message());
  };
  EXPECT_THAT(message({"{}"}), HasSubstr("tools[0] has no \"name\""));
  EXPECT_THAT(message({"nonsense"}), HasSubstr("tools[0] is not a JSON object"));
  EXPECT_THAT(message({Tool("{}")}, "g"), HasSubstr("there is no tool \"g\""));
  EXPECT_THAT(message({}), HasSubstr("there are none"));
}

}  // namespace
}  // namespace infer
