// SPDX-License-Identifier: Apache-2.0
#include "frontends/grammar/json_schema.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <vector>

#include "frontends/grammar/check_text.h"
#include "frontends/grammar/tool_call_grammar.h"
#include "ir/base/strings.h"

namespace infer {
namespace {

using ::testing::HasSubstr;

bool SchemaAccepts(std::string_view schema, std::string_view text,
                   JsonWhitespace whitespace = JsonWhitespace::kFree) {
  const auto grammar = CompileJsonSchema(schema, {.whitespace = whitespace});
  EXPECT_TRUE(grammar.ok()) << grammar.status();
  return grammar.ok() && !CheckText(*grammar, text);
}

// Steps of a budget that makes hostile schemas quick to refuse with a sanitizer, too.
constexpr size_t kFewSteps = CompileBudget::kMaxSteps / 16;

void ExpectSchemaRefused(std::string_view schema, const std::string& message,
                         size_t max_steps = CompileBudget::kMaxSteps) {
  CompileBudget budget(max_steps);
  EXPECT_THAT(CompileJsonSchema(schema, {}, &budget).status().ToString(), HasSubstr(message))
      << schema.substr(0, 200);
  EXPECT_LE(budget.steps(), max_steps);
  EXPECT_LE(budget.bytes(), CompileBudget::kMaxBytes);
}

// Returns what compiling the schema takes, which succeeds.
size_t StepsOf(std::string_view schema) {
  CompileBudget budget;
  EXPECT_EQ(CompileJsonSchema(schema, {}, &budget).status(), absl::OkStatus())
      << schema.substr(0, 200);
  EXPECT_GT(budget.steps(), schema.size());
  return budget.steps();
}

TEST(JsonSchema, AnythingUnsupportedIsRefusedWithAPointer) {
  ExpectSchemaRefused(R"s({"properties": {"a/b": {"not": {}}}})s",
                      "#/properties/a~1b/not: unsupported");
  ExpectSchemaRefused(R"s({"items": [{}, {"contains": {}}]})s", "#/items/1/contains: unsupported");
  ExpectSchemaRefused(R"s({"minLenght": 3})s", "#/minLenght: unknown keyword");
  ExpectSchemaRefused(R"s({"format": "hostname"})s", "#/format: unknown format");
  ExpectSchemaRefused(R"s({"uniqueItems": true})s", "#/uniqueItems");
  ExpectSchemaRefused(R"s({"pattern": "a(?=b)"})s", "#/pattern: byte 3");
  ExpectSchemaRefused(R"s({"pattern": "(a)\\1"})s", "#/pattern: byte 5");
  ExpectSchemaRefused(R"s({"$ref": "#/$defs/x"})s",
                      "#/$ref: refers to #/$defs/x, which does not exist");
  ExpectSchemaRefused(R"s({"$ref": "http://example.com/x.json"})s",
                      "#/$ref: refers to another document");
  ExpectSchemaRefused(R"s({"oneOf": [{"type": "string"}, {"minLength": 2}]})s",
                      "#/oneOf: branches 0 and 1");
  ExpectSchemaRefused(R"s({"type": "text"})s", "#/type: expected");
  ExpectSchemaRefused(R"s({"minItems": -1})s", "#/minItems: expected");
  ExpectSchemaRefused(R"s({"minProperties": 2})s", "#/minProperties: more than");
  ExpectSchemaRefused("{", "not valid JSON");
  EXPECT_TRUE(
      SchemaAccepts(R"s({"title": "t", "description": "d", "default": 1, "examples": [], "$comment":
      "c", "$id": "http://example.com/s", "x-order": 1, "type": "null"})s",
                    "null"));
}

TEST(JsonSchema, RecursionWithoutProgressIsRefused) {
  ExpectSchemaRefused(R"s({"$ref": "#"})s", "refers to itself");
  ExpectSchemaRefused(R"s({"$defs": {"a": {"$ref": "#/$defs/b"}, "b": {"$ref": "#/$defs/a"}},
                    "$ref": "#/$defs/a"})s",
                      "refers to itself");
  ExpectSchemaRefused(R"s({"anyOf": [{"type": "null"}, {"$ref": "#"}]})s", "refers to itself");
  ExpectSchemaRefused(
      R"s({"type": "object", "properties": {"a": {"$ref": "#"}}, "required": ["a"]})s",
      "no document satisfies");
  EXPECT_TRUE(SchemaAccepts(R"s({"type": "object", "properties": {"a": {"$ref": "#"}}})s",
                            R"s({"a": {"a": {}}})s"));
}

TEST(JsonSchema, HostileSchemasEndInAnError) {
  std::string deep = "{}";
  for (int i = 0; i < 3000; ++i) deep = StrCat(R"s({"items":)s", deep, "}");
  ExpectSchemaRefused(deep, "nested deeper than");
  std::string pairs = R"s({"type": "string"})s";
  for (int i = 0; i < 40; ++i)
    pairs = StrCat(R"s({"anyOf": [{"minLength":)s", i, "},", pairs, "]}");
  EXPECT_TRUE(SchemaAccepts(pairs, "\"a\""));
  std::string product = R"s({"allOf": [)s";
  for (int i = 0; i < 30; ++i) {
    StrAppend(&product, i == 0 ? "" : ",", R"s({"anyOf": [{"minLength": 1}, {"maxLength": 5}]})s");
  }
  ExpectSchemaRefused(product + "]}", "alternatives");
  ExpectSchemaRefused(R"s({"pattern": "(a|b)*a(a|b){20}$"})s",
                      "#/pattern: the pattern needs too many states");
  ExpectSchemaRefused(R"s({"pattern": "((((a{1,50}){1,50}){1,50}){1,50})"})s",
                      "#/pattern: the pattern needs");
  ExpectSchemaRefused(R"s({"pattern": ")s" + std::string(5000, '(') + "\"}", "nested deeper");
  ExpectSchemaRefused(R"s({"multipleOf": 123456789})s", "multipleOf");
}

// Each of them is allowed alone, and two thousand of them would take minutes and gigabytes.
TEST(JsonSchema, ManyAutomataHaveALimitTogether) {
  const auto object_of = [](int count, const auto& value) {
    std::string schema = R"s({"type": "object", "properties": {)s";
    for (int i = 0; i < count; ++i) {
      StrAppend(&schema, i == 0 ? "\"" : ",\"", i, "\": {", value(i), "}");
    }
    return schema + "}}";
  };
  const auto pattern = [](int i) {
    return StrCat(R"s("pattern": "^(a|b)*a(a|b){12}c{)s", i, "}$\"");
  };
  EXPECT_EQ(CompileJsonSchema(object_of(1, pattern)).status(), absl::OkStatus());
  ExpectSchemaRefused(object_of(200, pattern), "with the patterns before it", kFewSteps);
  const auto lengths = [](int i) { return StrCat(R"s("pattern": "^(ab){1000}c{)s", i, "}$\""); };
  EXPECT_EQ(CompileJsonSchema(object_of(1, lengths)).status(), absl::OkStatus());
  ExpectSchemaRefused(object_of(200, lengths), "with the patterns before it", kFewSteps);
  const auto number = [](int i) {
    return StrCat(R"s("type": "integer", "multipleOf": )s", 500 + i);
  };
  EXPECT_EQ(CompileJsonSchema(object_of(1, number)).status(), absl::OkStatus());
  ExpectSchemaRefused(object_of(200, number), "of the numbers need too many states together",
                      kFewSteps);
  // What schemas have.
  const auto date = [](int) { return R"s("type": "string", "format": "date-time")s"; };
  EXPECT_LT(StepsOf(object_of(200, date)), kFewSteps);
}

// An automaton for multiples of 99,999 has too many states, and one for each of many values would
// take seconds: values are read without one.
TEST(JsonSchema, ValuesOfAnEnumNeedNoAutomaton) {
  constexpr std::string_view kSchema = R"s({"multipleOf": 99999, "enum": [1, 99999, 199998.0]})s";
  EXPECT_TRUE(SchemaAccepts(kSchema, "99999"));
  EXPECT_TRUE(SchemaAccepts(kSchema, "199998"));
  EXPECT_FALSE(SchemaAccepts(kSchema, "1"));
  EXPECT_TRUE(SchemaAccepts(R"s({"multipleOf": 0.25, "enum": [-0.5, 0.3]})s", "-0.5"));
  EXPECT_FALSE(SchemaAccepts(R"s({"multipleOf": 0.25, "enum": [-0.5, 0.3]})s", "0.3"));
}

// A list of `count` values that `value` writes.
template <class Value>
std::string ListOf(int count, const Value& value) {
  std::string list = "[";
  for (int i = 0; i < count; ++i) StrAppend(&list, i == 0 ? "" : ",", value(i));
  return list + "]";
}

std::string Quoted(int i) { return StrCat("\"", i, "\""); }

// Lists of a length that is allowed, and that would be copied or compared for minutes.
TEST(JsonSchema, ListsThatCombineHaveALimit) {
  const std::string values = StrCat("{\"enum\":", ListOf(20'000, Quoted), "}");
  EXPECT_TRUE(SchemaAccepts(values, "\"19999\""));
  EXPECT_TRUE(SchemaAccepts(StrCat("{\"allOf\":[", values, ",", values, "]}"), "\"19999\""));
  const auto choice = [](int) {
    return R"s({"anyOf":[{"minLength":1},{"minLength":2},{"minLength":3}]})s";
  };
  ExpectSchemaRefused(StrCat("{\"allOf\":[", values, ",{\"allOf\":", ListOf(5, choice), "}]}"),
                      "combine in too many ways", kFewSteps);
  const auto constant = [](int i) { return StrCat("{\"const\":", i, "}"); };
  EXPECT_TRUE(SchemaAccepts(StrCat("{\"oneOf\":", ListOf(250, constant), "}"), "249"));
  ExpectSchemaRefused(StrCat("{\"oneOf\":", ListOf(20'000, constant), "}"), "alternatives");
  const std::string required = StrCat("{\"required\":", ListOf(2000, Quoted), "}");
  const auto impossible = [](int) { return R"s({"type":"null","$ref":"#/$defs/r"})s"; };
  ExpectSchemaRefused(StrCat(R"s({"type":"object","$defs":{"r":)s", required, R"s(},"anyOf":)s",
                             ListOf(1000, impossible), "}"),
                      "combine in too many ways", kFewSteps);
}

// A text of four times the length takes four times the steps, where nothing is multiplied out.
TEST(JsonSchema, WorkGrowsWithTheText) {
  const auto all_of = [](const auto& part) {
    return [part](int n) { return StrCat("{\"allOf\":", ListOf(n, part), "}"); };
  };
  const auto member = [](int i, std::string_view value) { return StrCat(Quoted(i), ":", value); };
  const auto object = [](std::string list) {
    list.front() = '{', list.back() = '}';
    return list;
  };
  const auto large = [](int i) { return StrCat("{\"a\":", ListOf(20, Quoted), ",\"b\":", i, "}"); };
  const struct {
    const char* what;
    std::function<std::string(int)> schema;
  } cases[] = {
      {"values of enum",
       [&](int n) {
         const std::string values = StrCat("{\"enum\":", ListOf(n, large), "}");
         return StrCat("{\"allOf\":[", values, ",", values, "]}");
       }},
      {"required keys", all_of([&](int i) { return StrCat("{\"required\":[", Quoted(i), "]}"); })},
      {"properties in many schemas",
       all_of([&](int i) { return StrCat("{\"properties\":{", member(i, "false"), "}}"); })},
      {"properties of one schema",
       [&](int n) {
         return StrCat(
             "{\"properties\":", object(ListOf(n, [&](int i) { return member(i, "{}"); })), "}");
       }},
      {"references",
       [&](int n) {
         return StrCat("{\"$defs\":",
                       object(ListOf(n, [&](int i) { return member(i, "{\"type\":\"null\"}"); })),
                       ",\"prefixItems\":",
                       ListOf(n, [](int i) { return StrCat("{\"$ref\":\"#/$defs/", i, "\"}"); }),
                       "}");
       }},
      {"patterns",
       [&](int n) {
         return StrCat("{\"prefixItems\":",
                       ListOf(n,
                              [](int i) {
                                return StrCat("{\"type\":\"string\",\"pattern\":\"^", 10'000 + i,
                                              "$\"}");
                              }),
                       "}");
       }},
  };
  for (const auto& [what, schema] : cases) {
    EXPECT_LT(StepsOf(schema(1600)), 5 * StepsOf(schema(400))) << what;
  }
}

// Each place makes an object of its own, with all keys.
TEST(JsonSchema, PropertiesOfAllObjectsHaveALimit) {
  std::string large = R"s({"$defs":{"o":{"properties":{)s";
  const std::string name(40, 'k');
  for (int i = 0; i < 1000; ++i) StrAppend(&large, i == 0 ? "\"" : ",\"", name, i, "\":false");
  const auto place = [](int i) {
    return StrCat(R"s({"allOf":[{"$ref":"#/$defs/o"},{"minProperties":0,"title":")s", i, "\"}]}");
  };
  const auto schema = [&](int places) {
    return StrCat(large, R"s(}}},"prefixItems":)s", ListOf(places, place), "}");
  };
  EXPECT_TRUE(SchemaAccepts(schema(20), R"s([{"a": 1}])s"));
  EXPECT_FALSE(SchemaAccepts(schema(20), StrCat("[{\"", name, "999\": 1}]")));
  ExpectSchemaRefused(schema(60), "#/$defs/o: the objects and enums of the schema have too many");
}

TEST(JsonSchema, LargeObjectsKeepTheirOrder) {
  std::string schema = R"s({"type": "object", "properties": {)s", text = "{";
  for (int i = 0; i < 40; ++i) {
    StrAppend(&schema, Quoted(100 - i), ": {\"const\": ", i, "},");
    StrAppend(&text, i == 0 ? "" : ", ", Quoted(100 - i), ": ", i == 7 ? 1000 : i);
  }
  StrAppend(&schema, R"s("93": {"const": 1000}}, "additionalProperties": false})s");
  EXPECT_TRUE(
      SchemaAccepts(schema, text + "}"));  // the last of equal keys counts, at the first place
  EXPECT_FALSE(SchemaAccepts(schema, R"s({"99": 1, "100": 0})s"));
  EXPECT_FALSE(SchemaAccepts(schema, R"s({"101": 1})s"));
}

// Comparing branches reads what they require, where there may be further branches to compare.
TEST(JsonSchema, BranchesWithinBranchesAreComparedOnce) {
  std::string nested = R"s({"const": 0})s";
  for (int i = 1; i < 40; ++i) {
    nested = StrCat(R"s({"oneOf": [{"const": )s", i, "}, ", nested, "]}");
  }
  EXPECT_LT(StepsOf(nested), kFewSteps);
  const auto link = [](int i) {
    return StrCat("\"", i, R"s(": {"oneOf": [{"$ref": "#/$defs/)s", i + 1, "\"}, false]}");
  };
  std::string chain = ListOf(15'000, link);
  chain.front() = '{', chain.back() = '}';
  ExpectSchemaRefused(StrCat(R"s({"$ref": "#/$defs/0", "$defs": )s", chain, "}"),
                      "choices within each other");
  const std::string_view branch =
      R"s({"type": "object", "required": ["c"], "properties": {"c": {"$ref": "#"}}})s";
  ExpectSchemaRefused(StrCat("{\"oneOf\": [", branch, ", ", branch, "]}"), "branches 0 and 1");
  const auto required = [](int i) {
    return StrCat("\"", i, R"s(": {"type": "object", "required": ["c"], "oneOf": [
                  {"properties": {"c": {"type": "array"}}},
                  {"properties": {"c": {"$ref": "#/$defs/)s",
                  i + 1, "\"}}}]}");
  };
  std::string tree = ListOf(1000, required);
  tree.front() = '{', tree.back() = ',';
  StepsOf(StrCat(R"s({"$ref": "#/$defs/0", "$defs": )s", tree, "\"1000\": {\"type\": \"null\"}}}"));
}

// A second for each of a thousand tools would be too long.
TEST(JsonSchema, ToolsShareABudget) {
  const std::string schema = R"s({"properties": {"a": {"pattern": "^(a|b)*a(a|b){9}$"}}})s";
  const std::vector<ToolSchema> tools = {{"first", schema}, {"second", schema}, {"third", schema}};
  CompileBudget all;
  ASSERT_EQ(CompileToolCall(tools, ToolCallForm::kJson, &all).status(), absl::OkStatus());
  CompileBudget less(all.steps() - 1);
  EXPECT_THAT(CompileToolCall(tools, ToolCallForm::kJson, &less).status().ToString(),
              HasSubstr("parameters of tool \"third\": JSON schema, #"));
}

TEST(JsonSchema, ReferencesByNameFindTheFirst) {
  for (const char* name : {R"s("$anchor": "n")s", R"s("$id": "#n")s"}) {
    const std::string schema =
        StrCat(R"s({"$ref": "#n", "$defs": {"a": {)s", name,
               R"s(, "type": "null"}, "b": {"$anchor": "n", "type": "string"}}})s");
    EXPECT_TRUE(SchemaAccepts(schema, "null")) << schema;
    EXPECT_FALSE(SchemaAccepts(schema, "\"\"")) << schema;
  }
  ExpectSchemaRefused(R"s({"$ref": "#n", "$defs": {"a": {"$anchor": "m"}}})s", "does not exist");
}

// Every two branches are compared, but each pattern is made into an automaton once.
TEST(JsonSchema, PatternsOfManyBranchesAreCompared) {
  std::string schema = R"s({"oneOf": [)s";
  for (int i = 0; i < 60; ++i) {
    StrAppend(&schema, i == 0 ? "" : ",", R"s({"type": "string", "pattern": "^a[0-9a-f]{8}-)s", i,
              "$\"}");
  }
  EXPECT_EQ(CompileJsonSchema(schema + "]}").status(), absl::OkStatus());
}

TEST(JsonSchema, BoundsCostNothing) {
  const auto plain = CompileJsonSchema(R"s({"type": "array", "items": {"type": "string"}})s");
  const auto bounded = CompileJsonSchema(
      R"s({"type": "array", "maxItems": 10000, "items": {"type": "string", "maxLength": 65536}})s");
  ASSERT_TRUE(plain.ok() && bounded.ok());
  EXPECT_EQ((*plain)->nodes.size(), (*bounded)->nodes.size());
  const std::string longest(65536, 'x');
  EXPECT_FALSE(CheckText(*bounded, "[\"" + longest + "\"]"));
  EXPECT_TRUE(CheckText(*bounded, "[\"" + longest + "x\"]"));
  std::string items = "[1";
  for (int i = 1; i < 10000; ++i) items += ",1";
  EXPECT_TRUE(SchemaAccepts(R"s({"type": "array", "maxItems": 10000})s", items + "]"));
  EXPECT_FALSE(SchemaAccepts(R"s({"type": "array", "maxItems": 10000})s", items + ",1]"));
  EXPECT_TRUE(
      SchemaAccepts(R"s({"pattern": "^[a-z]{1,60000}$"})s", "\"" + std::string(60000, 'a') + "\""));
  EXPECT_FALSE(
      SchemaAccepts(R"s({"pattern": "^[a-z]{1,60000}$"})s", "\"" + std::string(60001, 'a') + "\""));
}

TEST(JsonSchema, LengthsCountCodePoints) {
  constexpr std::string_view kTwo = R"s({"type": "string", "minLength": 2, "maxLength": 2})s";
  EXPECT_TRUE(SchemaAccepts(kTwo, "\"\xF0\x9F\x98\x80\xC3\xA4\""));
  EXPECT_TRUE(SchemaAccepts(kTwo, R"("\ud83d\ude00\n")"));
  EXPECT_FALSE(SchemaAccepts(kTwo, R"("\ud83d\ude00")"));
  EXPECT_FALSE(SchemaAccepts(kTwo, R"("\ud83dab")"));  // half of a pair
  EXPECT_FALSE(SchemaAccepts(kTwo, R"("\ude00ab")"));
  EXPECT_FALSE(SchemaAccepts(kTwo, "\"a\n\""));    // control characters are escaped
  EXPECT_FALSE(SchemaAccepts(kTwo, "\"a\xFF\""));  // not UTF-8
  EXPECT_FALSE(SchemaAccepts(kTwo, "\"a\xED\xA0\x80\""));
}

TEST(JsonSchema, KeysAreThoseThatTheyDecodeTo) {
  constexpr std::string_view kSchema =
      R"s({"type": "object", "properties": {"a": {"type": "null"}}, "additionalProperties":
          {"type": "integer"}})s";
  EXPECT_TRUE(SchemaAccepts(kSchema, R"s({"a": null, "ab": 1, "b": 2})s"));
  EXPECT_FALSE(SchemaAccepts(kSchema, R"s({"a": 1})s"));
  EXPECT_FALSE(SchemaAccepts(kSchema, R"s({"\u0061": 1})s"));
  EXPECT_TRUE(SchemaAccepts(kSchema, R"s({"\u0061": null})s"));
  EXPECT_FALSE(SchemaAccepts(kSchema, R"s({"b": 1, "a": null})s"));  // additional keys come last
}

TEST(JsonSchema, PatternsSeeTheDecodedText) {
  EXPECT_TRUE(SchemaAccepts(R"s({"pattern": "^\"x\"$"})s", R"("\"x\"")"));
  EXPECT_TRUE(SchemaAccepts(R"s({"pattern": "^\u00e4$"})s", "\"\xC3\xA4\""));
  EXPECT_TRUE(SchemaAccepts(R"s({"pattern": "^\u00e4$"})s", R"("\u00e4")"));
  EXPECT_FALSE(SchemaAccepts(R"s({"pattern": "^\u00e4$"})s", R"("\u00e5")"));
  EXPECT_TRUE(SchemaAccepts(R"s({"pattern": "^a+$", "maxLength": 3})s", R"("aaa")"));
  ExpectSchemaRefused(
      R"s({"type": "string", "pattern": "^(aa)+$", "minLength": 3, "maxLength": 3})s",
      "no document satisfies");
}

TEST(JsonSchema, WhitespaceIsTidyOrFree) {
  constexpr std::string_view kSchema = R"s({"type": "object", "properties": {"a": {}, "b": {}}})s";
  for (const char* text : {R"s({"a":[1,2],"b":{}})s", R"s({"a": [1, 2], "b": {}})s",
                           "{\n  \"a\": [\n    1,\n    2\n  ],\n  \"b\": {}\n}", "{}"}) {
    EXPECT_TRUE(SchemaAccepts(kSchema, text, JsonWhitespace::kTidy)) << text;
    EXPECT_TRUE(SchemaAccepts(kSchema, text)) << text;
  }
  for (const char* text :
       {"{ \"a\" : 1 }", "{  }", " {}", "{}\n", "{\"a\":\n1}", "{\"a\":1 ,\"b\":2}"}) {
    EXPECT_FALSE(SchemaAccepts(kSchema, text, JsonWhitespace::kTidy)) << text;
    EXPECT_TRUE(SchemaAccepts(kSchema, text)) << text;
  }
  EXPECT_FALSE(SchemaAccepts(kSchema, "{" + std::string(2000, ' ') + "}"));
}

TEST(JsonSchema, Formats) {
  struct Case {
    const char* format;
    const char* text;
    bool valid;
  };
  for (const auto& [format, text, valid] : {
           Case{"date", "2024-02-29", true},
           Case{"date", "2023-02-29", false},
           Case{"date", "1900-02-29", false},
           Case{"date", "2000-02-29", true},
           Case{"date", "2024-04-31", false},
           Case{"date", "0000-01-07", false},
           Case{"date", "0000-02-29", false},
           Case{"date", "0001-01-01", true},
           Case{"date", "0400-02-29", true},
           Case{"date", "1000-10-10", true},
           Case{"date", "2100-12-31", true},
           Case{"date", "2010-12-31", true},
           Case{"time", "23:59:59Z", true},
           Case{"time", "24:00:00Z", false},
           Case{"time", "12:00:00.5+02:00", true},
           Case{"time", "12:00:00", false},
           Case{"date-time", "2024-02-29T12:00:00Z", true},
           Case{"date-time", "2024-02-30T12:00:00Z", false},
           Case{"date-time", "0000-02-28T12:00:00Z", false},
           Case{"uuid", "123e4567-e89b-12d3-a456-426614174000", true},
           Case{"uuid", "123e4567e89b12d3a456426614174000", false},
           Case{"email", "a.b+c@example.co.uk", true},
           Case{"email", "a@@b", false},
           Case{"email", ".a@b.c", false},
           Case{"ipv4", "255.0.0.1", true},
           Case{"ipv4", "256.0.0.1", false},
           Case{"ipv4", "1.2.3.04", false},
           Case{"ipv6", "::", true},
           Case{"ipv6", "1:2:3:4:5:6:7::", true},
           Case{"ipv6", "1::3:4:5:6:7:8", true},
           Case{"ipv6", "::1.2.3.4", true},
           Case{"ipv6", "1:2:3:4:5:6:7:8:9", false},
           Case{"ipv6", "1::2::3", false},
           Case{"uri", "https://u@example.com:80/a/b?c=d#e", true},
           Case{"uri", "mailto:a@b.c", true},
           Case{"uri", "//example.com", false},
           Case{"uri", "http://a b", false},
       }) {
    const std::string schema = StrCat(R"s({"type": "string", "format": ")s", format, "\"}");
    EXPECT_EQ(SchemaAccepts(schema, StrCat("\"", text, "\"")), valid) << format << " " << text;
  }
}

TEST(JsonSchema, SaysWhereADocumentIsRefused) {
  const auto grammar = CompileJsonSchema(
      R"s({"type": "object", "properties": {"age": {"type": "integer", "minimum": 0}}})s",
      {.whitespace = JsonWhitespace::kFree});
  const auto refusal = CheckText(*grammar, "{\n \"age\": -1}");
  ASSERT_TRUE(refusal);
  EXPECT_EQ(refusal->byte, 10u);
  EXPECT_EQ(refusal->line, 2u);
  EXPECT_EQ(refusal->column, 9u);
  EXPECT_EQ(refusal->found, "-");
  EXPECT_EQ(refusal->expected, "\\t, \\n, \\r, space, 0 to 9");
  EXPECT_EQ(CheckText(*grammar, "{")->found, "the end of the text");
}

}  // namespace
}  // namespace infer
