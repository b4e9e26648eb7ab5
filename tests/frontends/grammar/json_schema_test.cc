// SPDX-License-Identifier: Apache-2.0
#include "frontends/grammar/json_schema.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <ctime>
#include <string>

#include "frontends/grammar/check_text.h"
#include "ir/base/strings.h"

namespace infer {
namespace {

using ::testing::HasSubstr;

bool Accepts(std::string_view schema, std::string_view text,
             JsonWhitespace whitespace = JsonWhitespace::kFree) {
  const auto grammar = CompileJsonSchema(schema, {.whitespace = whitespace});
  EXPECT_TRUE(grammar.ok()) << grammar.status();
  return grammar.ok() && !CheckText(*grammar, text);
}

void ExpectRefused(std::string_view schema, const std::string& message) {
  const std::clock_t start = std::clock();  // CPU time: a busy machine is not our fault
  EXPECT_THAT(CompileJsonSchema(schema).status().ToString(), HasSubstr(message))
      << schema.substr(0, 200);
  EXPECT_LT(std::clock() - start, 20 * CLOCKS_PER_SEC);
}

TEST(JsonSchema, AnythingUnsupportedIsRefusedWithAPointer) {
  ExpectRefused(R"s({"properties": {"a/b": {"not": {}}}})s", "#/properties/a~1b/not: unsupported");
  ExpectRefused(R"s({"items": [{}, {"contains": {}}]})s", "#/items/1/contains: unsupported");
  ExpectRefused(R"s({"minLenght": 3})s", "#/minLenght: unknown keyword");
  ExpectRefused(R"s({"format": "hostname"})s", "#/format: unknown format");
  ExpectRefused(R"s({"uniqueItems": true})s", "#/uniqueItems");
  ExpectRefused(R"s({"pattern": "a(?=b)"})s", "#/pattern: byte 3");
  ExpectRefused(R"s({"pattern": "(a)\\1"})s", "#/pattern: byte 5");
  ExpectRefused(R"s({"$ref": "#/$defs/x"})s", "#/$ref: refers to #/$defs/x, which does not exist");
  ExpectRefused(R"s({"$ref": "http://example.com/x.json"})s", "#/$ref: refers to another document");
  ExpectRefused(R"s({"oneOf": [{"type": "string"}, {"minLength": 2}]})s",
                "#/oneOf: branches 0 and 1");
  ExpectRefused(R"s({"type": "text"})s", "#/type: expected");
  ExpectRefused(R"s({"minItems": -1})s", "#/minItems: expected");
  ExpectRefused(R"s({"minProperties": 2})s", "#/minProperties: more than");
  ExpectRefused("{", "not valid JSON");
  EXPECT_TRUE(
      Accepts(R"s({"title": "t", "description": "d", "default": 1, "examples": [], "$comment":
      "c", "$id": "http://example.com/s", "x-order": 1, "type": "null"})s",
              "null"));
}

TEST(JsonSchema, RecursionWithoutProgressIsRefused) {
  ExpectRefused(R"s({"$ref": "#"})s", "refers to itself");
  ExpectRefused(R"s({"$defs": {"a": {"$ref": "#/$defs/b"}, "b": {"$ref": "#/$defs/a"}},
                    "$ref": "#/$defs/a"})s",
                "refers to itself");
  ExpectRefused(R"s({"anyOf": [{"type": "null"}, {"$ref": "#"}]})s", "refers to itself");
  ExpectRefused(R"s({"type": "object", "properties": {"a": {"$ref": "#"}}, "required": ["a"]})s",
                "no document satisfies");
  EXPECT_TRUE(Accepts(R"s({"type": "object", "properties": {"a": {"$ref": "#"}}})s",
                      R"s({"a": {"a": {}}})s"));
}

TEST(JsonSchema, HostileSchemasEndInAnError) {
  std::string deep = "{}";
  for (int i = 0; i < 3000; ++i) deep = StrCat(R"s({"items":)s", deep, "}");
  ExpectRefused(deep, "nested deeper than");
  std::string pairs = R"s({"type": "string"})s";
  for (int i = 0; i < 40; ++i)
    pairs = StrCat(R"s({"anyOf": [{"minLength":)s", i, "},", pairs, "]}");
  EXPECT_TRUE(Accepts(pairs, "\"a\""));
  std::string product = R"s({"allOf": [)s";
  for (int i = 0; i < 30; ++i) {
    StrAppend(&product, i == 0 ? "" : ",", R"s({"anyOf": [{"minLength": 1}, {"maxLength": 5}]})s");
  }
  ExpectRefused(product + "]}", "alternatives");
  ExpectRefused(R"s({"pattern": "(a|b)*a(a|b){20}$"})s",
                "#/pattern: the pattern needs too many states");
  ExpectRefused(R"s({"pattern": "((((a{1,50}){1,50}){1,50}){1,50})"})s",
                "#/pattern: the pattern needs");
  ExpectRefused(R"s({"pattern": ")s" + std::string(5000, '(') + "\"}", "nested deeper");
  ExpectRefused(R"s({"multipleOf": 123456789})s", "multipleOf");
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
  ExpectRefused(object_of(200, pattern), "with the patterns before it");
  const auto lengths = [](int i) { return StrCat(R"s("pattern": "^(ab){1000}c{)s", i, "}$\""); };
  EXPECT_EQ(CompileJsonSchema(object_of(1, lengths)).status(), absl::OkStatus());
  ExpectRefused(object_of(200, lengths), "with the patterns before it");
  const auto number = [](int i) {
    return StrCat(R"s("type": "integer", "multipleOf": )s", 500 + i);
  };
  EXPECT_EQ(CompileJsonSchema(object_of(1, number)).status(), absl::OkStatus());
  ExpectRefused(object_of(200, number), "of the numbers need too many states together");
  // What schemas have.
  const auto date = [](int) { return R"s("type": "string", "format": "date-time")s"; };
  EXPECT_EQ(CompileJsonSchema(object_of(200, date)).status(), absl::OkStatus());
}

// An automaton for multiples of 99,999 has too many states, and one for each of many values would
// take seconds: values are read without one.
TEST(JsonSchema, ValuesOfAnEnumNeedNoAutomaton) {
  constexpr std::string_view kSchema = R"s({"multipleOf": 99999, "enum": [1, 99999, 199998.0]})s";
  EXPECT_TRUE(Accepts(kSchema, "99999"));
  EXPECT_TRUE(Accepts(kSchema, "199998"));
  EXPECT_FALSE(Accepts(kSchema, "1"));
  EXPECT_TRUE(Accepts(R"s({"multipleOf": 0.25, "enum": [-0.5, 0.3]})s", "-0.5"));
  EXPECT_FALSE(Accepts(R"s({"multipleOf": 0.25, "enum": [-0.5, 0.3]})s", "0.3"));
}

// A list of `count` values that `value` writes.
template <class Value>
std::string ListOf(int count, const Value& value) {
  std::string list = "[";
  for (int i = 0; i < count; ++i) StrAppend(&list, i == 0 ? "" : ",", value(i));
  return list + "]";
}

// Lists of a length that is allowed, and that would be copied or compared for minutes.
TEST(JsonSchema, ListsThatCombineHaveALimit) {
  const auto quoted = [](int i) { return StrCat("\"", i, "\""); };
  const std::string values = StrCat("{\"enum\":", ListOf(20'000, quoted), "}");
  EXPECT_TRUE(Accepts(values, "\"19999\""));
  ExpectRefused(StrCat("{\"allOf\":[", values, ",", values, "]}"), "combine in too many ways");
  const auto choice = [](int) {
    return R"s({"anyOf":[{"minLength":1},{"minLength":2},{"minLength":3}]})s";
  };
  ExpectRefused(StrCat("{\"allOf\":[", values, ",{\"allOf\":", ListOf(5, choice), "}]}"),
                "combine in too many ways");
  const auto constant = [](int i) { return StrCat("{\"const\":", i, "}"); };
  EXPECT_TRUE(Accepts(StrCat("{\"oneOf\":", ListOf(250, constant), "}"), "249"));
  ExpectRefused(StrCat("{\"oneOf\":", ListOf(20'000, constant), "}"), "combine in too many ways");
  const std::string required = StrCat("{\"required\":", ListOf(2000, quoted), "}");
  const auto impossible = [](int) { return R"s({"type":"null","$ref":"#/$defs/r"})s"; };
  ExpectRefused(StrCat(R"s({"type":"object","$defs":{"r":)s", required, R"s(},"anyOf":)s",
                       ListOf(1000, impossible), "}"),
                "combine in too many ways");
}

// Each place makes an object of its own, with all keys.
TEST(JsonSchema, PropertiesOfAllObjectsHaveALimit) {
  std::string large = R"s({"$defs":{"o":{"properties":{)s";
  for (int i = 0; i < 1000; ++i) StrAppend(&large, i == 0 ? "\"" : ",\"", i, "\":false");
  const auto place = [](int i) {
    return StrCat(R"s({"allOf":[{"$ref":"#/$defs/o"},{"minProperties":0,"title":")s", i, "\"}]}");
  };
  const auto schema = [&](int places) {
    return StrCat(large, R"s(}}},"prefixItems":)s", ListOf(places, place), "}");
  };
  EXPECT_TRUE(Accepts(schema(20), R"s([{"a": 1}])s"));
  EXPECT_FALSE(Accepts(schema(20), R"s([{"999": 1}])s"));
  ExpectRefused(schema(300), "#/$defs/o: the objects of the schema have too many properties");
}

TEST(JsonSchema, ReferencesByNameFindTheFirst) {
  for (const char* name : {R"s("$anchor": "n")s", R"s("$id": "#n")s"}) {
    const std::string schema =
        StrCat(R"s({"$ref": "#n", "$defs": {"a": {)s", name,
               R"s(, "type": "null"}, "b": {"$anchor": "n", "type": "string"}}})s");
    EXPECT_TRUE(Accepts(schema, "null")) << schema;
    EXPECT_FALSE(Accepts(schema, "\"\"")) << schema;
  }
  ExpectRefused(R"s({"$ref": "#n", "$defs": {"a": {"$anchor": "m"}}})s", "does not exist");
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
  EXPECT_TRUE(Accepts(R"s({"type": "array", "maxItems": 10000})s", items + "]"));
  EXPECT_FALSE(Accepts(R"s({"type": "array", "maxItems": 10000})s", items + ",1]"));
  EXPECT_TRUE(
      Accepts(R"s({"pattern": "^[a-z]{1,60000}$"})s", "\"" + std::string(60000, 'a') + "\""));
  EXPECT_FALSE(
      Accepts(R"s({"pattern": "^[a-z]{1,60000}$"})s", "\"" + std::string(60001, 'a') + "\""));
}

TEST(JsonSchema, LengthsCountCodePoints) {
  constexpr std::string_view kTwo = R"s({"type": "string", "minLength": 2, "maxLength": 2})s";
  EXPECT_TRUE(Accepts(kTwo, "\"\xF0\x9F\x98\x80\xC3\xA4\""));
  EXPECT_TRUE(Accepts(kTwo, R"("\ud83d\ude00\n")"));
  EXPECT_FALSE(Accepts(kTwo, R"("\ud83d\ude00")"));
  EXPECT_FALSE(Accepts(kTwo, R"("\ud83dab")"));  // half of a pair
  EXPECT_FALSE(Accepts(kTwo, R"("\ude00ab")"));
  EXPECT_FALSE(Accepts(kTwo, "\"a\n\""));    // control characters are escaped
  EXPECT_FALSE(Accepts(kTwo, "\"a\xFF\""));  // not UTF-8
  EXPECT_FALSE(Accepts(kTwo, "\"a\xED\xA0\x80\""));
}

TEST(JsonSchema, KeysAreThoseThatTheyDecodeTo) {
  constexpr std::string_view kSchema =
      R"s({"type": "object", "properties": {"a": {"type": "null"}}, "additionalProperties":
          {"type": "integer"}})s";
  EXPECT_TRUE(Accepts(kSchema, R"s({"a": null, "ab": 1, "b": 2})s"));
  EXPECT_FALSE(Accepts(kSchema, R"s({"a": 1})s"));
  EXPECT_FALSE(Accepts(kSchema, R"s({"\u0061": 1})s"));
  EXPECT_TRUE(Accepts(kSchema, R"s({"\u0061": null})s"));
  EXPECT_FALSE(Accepts(kSchema, R"s({"b": 1, "a": null})s"));  // additional keys come last
}

TEST(JsonSchema, PatternsSeeTheDecodedText) {
  EXPECT_TRUE(Accepts(R"s({"pattern": "^\"x\"$"})s", R"("\"x\"")"));
  EXPECT_TRUE(Accepts(R"s({"pattern": "^\u00e4$"})s", "\"\xC3\xA4\""));
  EXPECT_TRUE(Accepts(R"s({"pattern": "^\u00e4$"})s", R"("\u00e4")"));
  EXPECT_FALSE(Accepts(R"s({"pattern": "^\u00e4$"})s", R"("\u00e5")"));
  EXPECT_TRUE(Accepts(R"s({"pattern": "^a+$", "maxLength": 3})s", R"("aaa")"));
  ExpectRefused(R"s({"type": "string", "pattern": "^(aa)+$", "minLength": 3, "maxLength": 3})s",
                "no document satisfies");
}

TEST(JsonSchema, WhitespaceIsTidyOrFree) {
  constexpr std::string_view kSchema = R"s({"type": "object", "properties": {"a": {}, "b": {}}})s";
  for (const char* text : {R"s({"a":[1,2],"b":{}})s", R"s({"a": [1, 2], "b": {}})s",
                           "{\n  \"a\": [\n    1,\n    2\n  ],\n  \"b\": {}\n}", "{}"}) {
    EXPECT_TRUE(Accepts(kSchema, text, JsonWhitespace::kTidy)) << text;
    EXPECT_TRUE(Accepts(kSchema, text)) << text;
  }
  for (const char* text :
       {"{ \"a\" : 1 }", "{  }", " {}", "{}\n", "{\"a\":\n1}", "{\"a\":1 ,\"b\":2}"}) {
    EXPECT_FALSE(Accepts(kSchema, text, JsonWhitespace::kTidy)) << text;
    EXPECT_TRUE(Accepts(kSchema, text)) << text;
  }
  EXPECT_FALSE(Accepts(kSchema, "{" + std::string(2000, ' ') + "}"));
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
    EXPECT_EQ(Accepts(schema, StrCat("\"", text, "\"")), valid) << format << " " << text;
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
