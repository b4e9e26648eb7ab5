// SPDX-License-Identifier: Apache-2.0
#include "frontends/grammar/gbnf.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "frontends/grammar/analyze.h"
#include "frontends/grammar/check_text.h"
#include "ir/base/strings.h"

namespace infer {
namespace {

using ::testing::HasSubstr;

bool GbnfAccepts(std::string_view grammar, std::string_view text) {
  const auto compiled = CompileGbnf(grammar);
  EXPECT_TRUE(compiled.ok()) << compiled.status();
  return compiled.ok() && !CheckText(*compiled, text);
}

void ExpectGbnfRefused(std::string_view grammar, const std::string& message) {
  const auto compiled = CompileGbnf(grammar);
  EXPECT_THAT(compiled.status().ToString(), HasSubstr(message)) << grammar.substr(0, 200);
}

TEST(Gbnf, LiteralsClassesAndEscapes) {
  EXPECT_TRUE(GbnfAccepts("root ::= \"a\\n\\t\\\"\\\\\\x41\\u00e4\"", "a\n\t\"\\A\xC3\xA4"));
  EXPECT_FALSE(GbnfAccepts("root ::= \"ab\"", "a"));
  EXPECT_FALSE(GbnfAccepts("root ::= \"ab\"", "abc"));
  EXPECT_TRUE(GbnfAccepts("root ::= [a-c\\-x]+", "abc-x"));
  EXPECT_FALSE(GbnfAccepts("root ::= [a-c]", "d"));
  EXPECT_TRUE(GbnfAccepts("root ::= [^a-c]", "\xE4\xB8\xAD"));
  EXPECT_FALSE(GbnfAccepts("root ::= [^\xE4\xB8\xAD]", "\xE4\xB8\xAD"));
  EXPECT_TRUE(GbnfAccepts("root ::= .", "\xF0\x9F\x98\x80"));
  EXPECT_FALSE(GbnfAccepts("root ::= .", "\xF0\x9F\x98"));
  EXPECT_FALSE(GbnfAccepts("root ::= .", "\xC0\x80"));  // not UTF-8
}

TEST(Gbnf, RepetitionsAndGroups) {
  EXPECT_TRUE(GbnfAccepts("root ::= (\"a\" | \"b\")* \"c\"?", ""));
  EXPECT_TRUE(GbnfAccepts("root ::= (\"a\" | \"b\")* \"c\"?", "abbac"));
  EXPECT_TRUE(GbnfAccepts("root ::= \"ab\"{2}", "abab"));
  EXPECT_FALSE(GbnfAccepts("root ::= \"ab\"{2}", "ababab"));
  EXPECT_TRUE(GbnfAccepts("root ::= \"a\"{2,}", "aaaaa"));
  EXPECT_FALSE(GbnfAccepts("root ::= \"a\"{2,}", "a"));
  EXPECT_TRUE(GbnfAccepts("root ::= \"a\"{1,3}", "aaa"));
  EXPECT_FALSE(GbnfAccepts("root ::= \"a\"{1,3}", "aaaa"));
  EXPECT_TRUE(GbnfAccepts("root ::= (\"a\"{1,2} \",\"){2,3}", "a,aa,a,"));
}

TEST(Gbnf, RulesCommentsAndLines) {
  constexpr std::string_view kGrammar = R"g(# a list
root ::= item ("," item)*  # comma
item ::=
  "x" |
  "(" root
  ")"
)g";
  ExpectGbnfRefused(kGrammar, "line 6, column 3");  // a line ends a rule unless a group is open
  constexpr std::string_view kGrouped = R"g(# a list
root ::= item ("," item)*  # comma
item ::=
  "x" |
  ( "(" root
  ")" )
)g";
  EXPECT_TRUE(GbnfAccepts(kGrouped, "x,(x,x),((x))"));
  EXPECT_FALSE(GbnfAccepts(kGrouped, "x,(x"));
}

TEST(Gbnf, ErrorsNameThePlace) {
  ExpectGbnfRefused("rot ::= \"a\"", "no rule root");
  ExpectGbnfRefused("root ::= \"a\"\nroot ::= \"b\"",
                    "line 2, column 1: rule root is defined twice");
  ExpectGbnfRefused("root ::= \"a\" other", "line 1, column 14: rule other is not defined");
  ExpectGbnfRefused("root ::= \"a", "line 1, column 12");
  ExpectGbnfRefused("root ::= [z-a]", "out of order");
  ExpectGbnfRefused("root ::= (\"a\"", "expected )");
  ExpectGbnfRefused("root ::= \"a\")", "unmatched )");
  ExpectGbnfRefused("root ::= \"a\"{3,2}", "m above n");
  ExpectGbnfRefused("root ::= \"\\q\"", "unknown escape");
  ExpectGbnfRefused("root = \"a\"", "expected ::=");
  ExpectGbnfRefused("root ::= \"\xFF\"", "not valid UTF-8");
}

TEST(Gbnf, RecursionWithoutProgressIsRefused) {
  ExpectGbnfRefused("root ::= root \"a\" | \"b\"", "left recursion");
  ExpectGbnfRefused("root ::= x \"a\" | \"b\"\nx ::= \"q\"? root", "left recursion");
  ExpectGbnfRefused("root ::= root", "no text matches");
  ExpectGbnfRefused("root ::= \"a\" root", "no text matches");
  EXPECT_TRUE(GbnfAccepts("root ::= \"a\" root | \"b\"", std::string(5000, 'a') + "b"));
}

// The cases of RELIABILITY 2.3, and what else costs others their stack or their memory.
TEST(Gbnf, HostileGrammarsEndInAnErrorOrAreHarmless) {
  EXPECT_TRUE(GbnfAccepts("root ::= ((\"a\"*)*)*", "aaaa"));
  EXPECT_TRUE(GbnfAccepts("root ::= ((\"a\"?){0,65536}){0,65536} \"b\"", "aab"));
  ExpectGbnfRefused("root ::= " + std::string(5000, '(') + "\"a\"" + std::string(5000, ')'),
                    "nested deeper than");
  ExpectGbnfRefused("root ::= \"a\"{99999999999}", "a repetition above");
  std::string chain = "root ::= r0\n";
  for (int i = 0; i < 20000; ++i) chain += StrCat("r", i, " ::= r", i + 1, "\n");
  ExpectGbnfRefused(chain + "r20000 ::= \"a\"", "too many rules and alternatives");
  // Ambiguous without end: the number of ways to read the text is not the number of states.
  EXPECT_TRUE(GbnfAccepts("root ::= (\"a\" | \"a\" | \"aa\")* ", std::string(2000, 'a')));
  // Nesting is bounded, not the length.
  const auto nested = CompileGbnf("root ::= \"(\" root \")\" | \"x\"");
  EXPECT_TRUE(CheckText(*nested, std::string(100'000, '(')));
  EXPECT_FALSE(CheckText(*nested, std::string(900, '(') + "x" + std::string(900, ')')));
}

// Each rule needs the next one, and they lie so that a pass over all of them would settle one.
TEST(Gbnf, RulesInAnyOrderTakeAStepForEachChild) {
  constexpr int kRules = 12'000;
  std::string text, names;
  for (int i = 0; i < kRules; ++i) {
    // The even ones from the end to the beginning, and back over the odd ones.
    const int rule = i < kRules / 2 ? kRules - 2 - 2 * i : 2 * i - kRules + 1;
    StrAppend(&names, " r", rule);
    StrAppend(&text, "r", rule, " ::= \"a\" r", rule + 1, "\n");
  }
  text = StrCat("order ::=", names, "\nroot ::= r0\n", text);
  const auto grammar = CompileGbnf(StrCat(text, "r", kRules, " ::= \"b\"\n"));
  ASSERT_TRUE(grammar.ok()) << grammar.status();
  size_t children = 0, steps = 0;
  for (const GrammarNode& node : (*grammar)->nodes) children += node.children.size();
  MatchableNodes(**grammar, &steps);
  EXPECT_GT(steps, kRules);
  EXPECT_LE(steps, children);
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
