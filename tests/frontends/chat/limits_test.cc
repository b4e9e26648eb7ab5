// SPDX-License-Identifier: Apache-2.0
//
// A hostile template ends with an error that says which bound it met.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>
#include <string>
#include <vector>

#include "frontends/chat/chat_template.h"
#include "frontends/tokenizer/utf8.h"
#include "ir/base/strings.h"

namespace infer {
namespace {

using ::testing::AnyOf;
using ::testing::HasSubstr;

std::string ErrorOf(std::string_view text, const RenderOptions& options = {}) {
  auto compiled = ChatTemplate::Compile(text);
  if (!compiled.ok()) return std::string(compiled.status().message());
  return std::string(compiled->Render(R"({"messages": []})", options).status().message());
}

TEST(TemplateLimits, BoundSteps) {
  RenderOptions options;
  options.limits.steps = 200'000;
  for (const char* text : {
           "{% for a in range(90000) %}{% for b in range(90000) %}{% endfor %}{% endfor %}",
           "{% macro m() %}{% for i in range(1000) %}{{ m() }}{% endfor %}{% endmacro %}{{ m() }}",
           "{% set x = range(90000) | list %}{% for i in x %}{% if i in x | reverse %}{% endif %}"
           "{% endfor %}",
           "{% set l = [1] %}{% for i in l %}{% set _ = l.append(i) %}{% endfor %}",
       }) {
    EXPECT_THAT(ErrorOf(text, options),
                AnyOf(HasSubstr("more steps than"), HasSubstr("more memory"), HasSubstr("nested")))
        << text;
  }
}

TEST(TemplateLimits, BoundMemoryAndOutput) {
  for (const char* text : {
           "{{ 'abcdefgh' * 1000000000 }}",
           "{% set ns = namespace(x='aaaaaaaa') %}{% for i in range(60) %}{% set ns.x = ns.x + "
           "ns.x "
           "%}{% endfor %}",
           "{% set ns = namespace(x=[1]) %}{% for i in range(60) %}{% set ns.x = ns.x + ns.x %}"
           "{% endfor %}",
           "{% set s = 'a' * 100000 %}{{ s | replace('a', s) }}",
           "{% set s = ('a\n' * 100000) %}{{ s | indent(900) }}",
           "{% set s = 'x' * 1000000 %}{% for i in range(1000) %}{{ s }}{% endfor %}",
           "{% set s = 'x' * 1000000 %}{{ range(1000) | join(s) }}",
           "{% set l = ['x'] * 100000 %}{% for i in range(100) %}{{ l | tojson(indent=100) }}"
           "{% endfor %}",
       }) {
    EXPECT_THAT(ErrorOf(text), AnyOf(HasSubstr("more memory"), HasSubstr("rendered text has more")))
        << text;
  }
}

TEST(TemplateLimits, BoundDepth) {
  EXPECT_THAT(ErrorOf("{% macro m() %}{{ m() }}{% endmacro %}{{ m() }}"),
              HasSubstr("nested deeper"));
  auto repeated = [](std::string_view text) {
    std::string out;
    for (int i = 0; i < 20'000; ++i) out += text;
    return out;
  };
  for (const std::string& text :
       {StrCat("{{ ", repeated("("), "1", repeated(")"), " }}"),
        StrCat("{{ ", repeated("not "), "1 }}"), StrCat("{{ ", repeated("-"), "1 }}"),
        StrCat("{{ ", repeated("["), "1", repeated("]"), " }}"),
        StrCat("{{ 1 ", repeated("+ 1 "), "}}"), StrCat("{{ x", repeated(".a"), " }}"),
        StrCat("{{ 1", repeated("|abs"), " }}"), repeated("{% if 1 %}"),
        StrCat("{{ ", repeated("1 if 1 else "), "1 }}"),
        StrCat("{% set ", repeated("("), "x", repeated(")"), " = 1 %}"),
        StrCat("{{ 1 ", repeated("is odd "), "}}"), StrCat("{{ 1", repeated("[0]"), " }}")}) {
    EXPECT_THAT(ErrorOf(text), HasSubstr("nested")) << text.substr(0, 60);
  }
  // Lists may be nested deeper, even in themselves, but not printed.
  for (const char* use : {"{{ ns.l }}", "{{ ns.l | tojson }}"}) {
    EXPECT_THAT(ErrorOf(StrCat("{% set ns = namespace(l=[]) %}{% for i in range(1000) %}"
                               "{% set ns.l = [ns.l] %}{% endfor %}",
                               use)),
                HasSubstr("nested deeper than 150"));
    EXPECT_THAT(
        ErrorOf(StrCat("{% set ns = namespace(l=[]) %}{% set _ = ns.l.append(ns.l) %}", use)),
        HasSubstr("nested deeper than 150"));
  }
  EXPECT_EQ(
      ErrorOf("{% set l = [] %}{% set m = [] %}{% set _ = l.append(l) %}{% set _ = m.append(m) "
              "%}{{ l == m }}"),
      "");
}

TEST(TemplateLimits, RefuseNumbersThatDoNotFit) {
  EXPECT_THAT(ErrorOf("{{ 9223372036854775807 + 1 }}"), HasSubstr("more than 64 bits"));
  EXPECT_THAT(ErrorOf("{{ 10 ** 400 }}"), HasSubstr("more than 64 bits"));
  EXPECT_THAT(ErrorOf("{{ (-9223372036854775807 - 1) // -1 }}"), HasSubstr("more than 64 bits"));
  EXPECT_THAT(ErrorOf("{{ -(-9223372036854775807 - 1) }}"), HasSubstr("more than 64 bits"));
  EXPECT_THAT(ErrorOf("{{ range(9223372036854775807) }}"), HasSubstr("more than 100000"));
  EXPECT_EQ(ErrorOf("{{ (-9223372036854775807 - 1) % -1 }}{{ 'abc'[::-9223372036854775807 - 1] }}"
                    "{{ 'abc'[-9223372036854775807:9223372036854775807] }}"),
            "");
}

TEST(TemplateLimits, RangesMaySpanAllNumbers) {
  auto compiled = ChatTemplate::Compile(
      "{{ range(-9223372036854775807, 9223372036854775807, 4611686018427387904) | list }}"
      "{{ range(9223372036854775807, -9223372036854775807, -4611686018427387904) | list }}");
  ASSERT_TRUE(compiled.ok()) << compiled.status();
  auto text = compiled->Render(R"({"messages": []})", {});
  ASSERT_TRUE(text.ok()) << text.status();
  EXPECT_EQ(text->text(),
            "[-9223372036854775807, -4611686018427387903, 1, 4611686018427387905]"
            "[9223372036854775807, 4611686018427387903, -1, -4611686018427387905]");
}

// Mutations of a template that uses most of the language, with a fixed seed: whatever they are,
// rendering ends within its bounds. tests/fuzz does the same for as long as one likes.
TEST(TemplateLimits, HoldForMutatedTemplates) {
  const std::string seed =
      "{%- set ns = namespace(a=1, b=[]) %}{% macro m(x, y='d') -%} <{{ x ~ y }}> {%- endmacro %}"
      "{% for m1 in messages[::-1] if m1.role != 'x' %}{{ loop.index0 }}{{ m(m1.role, "
      "m1.content[1:-1]) }}"
      "{% if not loop.last and m1.content is string %}{{ m1.content.split('a') | join('b') | trim "
      "}}"
      "{% elif loop.first %}{% continue %}{% else %}{{ m1 | tojson(indent=2) }}{% endif %}"
      "{% set ns.b = ns.b + [loop.index] %}{% endfor %}{% filter upper %}{{ ns.b | map('string') | "
      "list }}{% endfilter %}{% raw %}{{ x }}{% endraw %}{# c #}{{ '%s %d' % ('a', 3) }}"
      "{{ messages | selectattr('role', 'equalto', 'user') | map(attribute='content') | list | "
      "last }}"
      "{{ {'a': [1, 2.5, none]} | dictsort }}{{ 'x' if ns.a > 1 else 'é'.replace('é', "
      "'{}').format(1) }}";
  const std::string_view parts[] = {
      "{{",          "}}",   "{%",   "%}",         "(",        ")",
      "[",           "]",    "{",    "}",          "'",        "\"",
      "|",           ".",    ",",    ":",          "~",        "**",
      "//",          "%",    "-",    "messages",   "range(9)", " if ",
      " for ",       " in ", " is ", " not ",      "loop",     "{% endfor %}",
      "{% endif %}", "\xFF", "é",    "9999999999", "0.5"};
  const std::string request =
      R"([{"role": "user", "content": "a banana \u00e9"}, {"role": "tool", "content": [1, {"x": null}]}])";
  RenderOptions options;
  options.limits.steps = 20'000;
  options.limits.output_bytes = 1 << 20;
  options.limits.value_bytes = 4 << 20;
  std::mt19937 random(2026);
  int rendered = 0;
  for (int round = 0; round < 4000; ++round) {
    std::string text = seed;
    for (size_t edits = 1 + random() % 3; edits > 0; --edits) {
      const size_t at = random() % text.size();
      const std::string_view part = parts[random() % std::size(parts)];
      if (random() % 2 == 0) {
        text.insert(at, part);
      } else {
        text.replace(at, random() % 12, random() % 2 == 0 ? part : "");
      }
    }
    auto compiled = ChatTemplate::Compile(text);
    if (!compiled.ok()) continue;
    auto output = compiled->Render(request, options);
    if (!output.ok()) continue;
    ++rendered;
    std::string storage;
    EXPECT_EQ(ReplaceInvalidUtf8(output->text(), &storage).data(), output->text().data());
  }
  EXPECT_GT(rendered, 200);
}

}  // namespace
}  // namespace infer
