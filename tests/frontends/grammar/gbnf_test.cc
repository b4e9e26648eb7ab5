// SPDX-License-Identifier: Apache-2.0
#include "frontends/grammar/gbnf.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "frontends/grammar/check_text.h"
#include "ir/base/strings.h"

namespace infer {
namespace {

using ::testing::HasSubstr;

bool Accepts(std::string_view grammar, std::string_view text) {
  const auto compiled = CompileGbnf(grammar);
  EXPECT_TRUE(compiled.ok()) << compiled.status();
  return compiled.ok() && !CheckText(*compiled, text);
}

void ExpectRefused(std::string_view grammar, const std::string& message) {
  const auto compiled = CompileGbnf(grammar);
  EXPECT_THAT(compiled.status().ToString(), HasSubstr(message)) << grammar.substr(0, 200);
}

TEST(Gbnf, LiteralsClassesAndEscapes) {
  EXPECT_TRUE(Accepts("root ::= \"a\\n\\t\\\"\\\\\\x41\\u00e4\"", "a\n\t\"\\A\xC3\xA4"));
  EXPECT_FALSE(Accepts("root ::= \"ab\"", "a"));
  EXPECT_FALSE(Accepts("root ::= \"ab\"", "abc"));
  EXPECT_TRUE(Accepts("root ::= [a-c\\-x]+", "abc-x"));
  EXPECT_FALSE(Accepts("root ::= [a-c]", "d"));
  EXPECT_TRUE(Accepts("root ::= [^a-c]", "\xE4\xB8\xAD"));
  EXPECT_FALSE(Accepts("root ::= [^\xE4\xB8\xAD]", "\xE4\xB8\xAD"));
  EXPECT_TRUE(Accepts("root ::= .", "\xF0\x9F\x98\x80"));
  EXPECT_FALSE(Accepts("root ::= .", "\xF0\x9F\x98"));
  EXPECT_FALSE(Accepts("root ::= .", "\xC0\x80"));  // not UTF-8
}

TEST(Gbnf, RepetitionsAndGroups) {
  EXPECT_TRUE(Accepts("root ::= (\"a\" | \"b\")* \"c\"?", ""));
  EXPECT_TRUE(Accepts("root ::= (\"a\" | \"b\")* \"c\"?", "abbac"));
  EXPECT_TRUE(Accepts("root ::= \"ab\"{2}", "abab"));
  EXPECT_FALSE(Accepts("root ::= \"ab\"{2}", "ababab"));
  EXPECT_TRUE(Accepts("root ::= \"a\"{2,}", "aaaaa"));
  EXPECT_FALSE(Accepts("root ::= \"a\"{2,}", "a"));
  EXPECT_TRUE(Accepts("root ::= \"a\"{1,3}", "aaa"));
  EXPECT_FALSE(Accepts("root ::= \"a\"{1,3}", "aaaa"));
  EXPECT_TRUE(Accepts("root ::= (\"a\"{1,2} \",\"){2,3}", "a,aa,a,"));
}

TEST(Gbnf, RulesCommentsAndLines) {
  constexpr std::string_view kGrammar = R"g(# a list
root ::= item ("," item)*  # comma
item ::=
  "x" |
  "(" root
  ")"
)g";
  ExpectRefused(kGrammar, "line 6, column 3");  // a line ends a rule unless a group is open
  constexpr std::string_view kGrouped = R"g(# a list
root ::= item ("," item)*  # comma
item ::=
  "x" |
  ( "(" root
  ")" )
)g";
  EXPECT_TRUE(Accepts(kGrouped, "x,(x,x),((x))"));
  EXPECT_FALSE(Accepts(kGrouped, "x,(x"));
}

TEST(Gbnf, ErrorsNameThePlace) {
  ExpectRefused("rot ::= \"a\"", "no rule root");
  ExpectRefused("root ::= \"a\"\nroot ::= \"b\"", "line 2, column 1: rule root is defined twice");
  ExpectRefused("root ::= \"a\" other", "line 1, column 14: rule other is not defined");
  ExpectRefused("root ::= \"a", "line 1, column 12");
  ExpectRefused("root ::= [z-a]", "out of order");
  ExpectRefused("root ::= (\"a\"", "expected )");
  ExpectRefused("root ::= \"a\")", "unmatched )");
  ExpectRefused("root ::= \"a\"{3,2}", "m above n");
  ExpectRefused("root ::= \"\\q\"", "unknown escape");
  ExpectRefused("root = \"a\"", "expected ::=");
  ExpectRefused("root ::= \"\xFF\"", "not valid UTF-8");
}

TEST(Gbnf, RecursionWithoutProgressIsRefused) {
  ExpectRefused("root ::= root \"a\" | \"b\"", "left recursion");
  ExpectRefused("root ::= x \"a\" | \"b\"\nx ::= \"q\"? root", "left recursion");
  ExpectRefused("root ::= root", "no text matches");
  ExpectRefused("root ::= \"a\" root", "no text matches");
  EXPECT_TRUE(Accepts("root ::= \"a\" root | \"b\"", std::string(5000, 'a') + "b"));
}

// The cases of RELIABILITY 2.3, and what else costs others their stack or their memory.
TEST(Gbnf, HostileGrammarsEndInAnErrorOrAreHarmless) {
  EXPECT_TRUE(Accepts("root ::= ((\"a\"*)*)*", "aaaa"));
  EXPECT_TRUE(Accepts("root ::= ((\"a\"?){0,65536}){0,65536} \"b\"", "aab"));
  ExpectRefused("root ::= " + std::string(5000, '(') + "\"a\"" + std::string(5000, ')'),
                "nested deeper than");
  ExpectRefused("root ::= \"a\"{99999999999}", "a repetition above");
  std::string chain = "root ::= r0\n";
  for (int i = 0; i < 20000; ++i) chain += StrCat("r", i, " ::= r", i + 1, "\n");
  ExpectRefused(chain + "r20000 ::= \"a\"", "too many rules and alternatives");
  // Ambiguous without end: the number of ways to read the text is not the number of states.
  EXPECT_TRUE(Accepts("root ::= (\"a\" | \"a\" | \"aa\")* ", std::string(2000, 'a')));
  // Nesting is bounded, not the length.
  const auto nested = CompileGbnf("root ::= \"(\" root \")\" | \"x\"");
  EXPECT_TRUE(CheckText(*nested, std::string(100'000, '(')));
  EXPECT_FALSE(CheckText(*nested, std::string(900, '(') + "x" + std::string(900, ')')));
}

TEST(Gbnf, LargeCountsCostNothing) {
  const auto grammar = CompileGbnf("root ::= [a-z]{3,1000000} \"!\"");
  ASSERT_TRUE(grammar.ok());
  EXPECT_LT((*grammar)->nodes.size(), 10u);
  EXPECT_FALSE(CheckText(*grammar, std::string(100'000, 'q') + "!"));
  EXPECT_TRUE(CheckText(*grammar, "ab!"));
}

}  // namespace
}  // namespace infer
