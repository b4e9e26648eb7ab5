// SPDX-License-Identifier: Apache-2.0
#include "passes/suggest.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

namespace infer {
namespace {

TEST(PlainPartOfRegex, IsTheLongestRunOfPlainCharacters) {
  EXPECT_EQ(PlainPartOfRegex("exps"), "exps");
  EXPECT_EQ(PlainPartOfRegex(R"(blk\.99\..*)"), "blk.99.");
  EXPECT_EQ(PlainPartOfRegex(R"(^blk\.[0-9]+\.ffn_dwn$)"), ".ffn_dwn");
  EXPECT_EQ(PlainPartOfRegex(R"(blk\.\d+\.attn_q)"), ".attn_q");
  EXPECT_EQ(PlainPartOfRegex("ffn_(up|down)"), "ffn_");
  EXPECT_EQ(PlainPartOfRegex("[]xyzuvw]ab"), "ab");
  EXPECT_EQ(PlainPartOfRegex("(?:ab|cde)"), "cde");
}

TEST(PlainPartOfRegex, ADotIsADotUnlessItIsRepeated) {
  EXPECT_EQ(PlainPartOfRegex("blk.99.attn_q"), "blk.99.attn_q");
  EXPECT_EQ(PlainPartOfRegex("blk.99..*"), "blk.99.");
  EXPECT_EQ(PlainPartOfRegex("ab.+c"), "ab");
}

TEST(PlainPartOfRegex, LeavesOutWhatMayBeMissing) {
  EXPECT_EQ(PlainPartOfRegex("abc?"), "ab");
  EXPECT_EQ(PlainPartOfRegex("abc{0,3}d"), "ab");
  EXPECT_EQ(PlainPartOfRegex("abc+"), "abc");
}

TEST(PlainPartOfRegex, TakesAnyText) {
  for (std::string_view text : {"", "\\", "[", "[]", "(?", "(", "{", "a{", "*", "??", "(?<"}) {
    EXPECT_LE(PlainPartOfRegex(text).size(), 1u) << text;
  }
}

TEST(PlainPartOfGlob, LiesBetweenTheWildcards) {
  EXPECT_EQ(PlainPartOfGlob("layer.*/attn/q_prj"), "/attn/q_prj");
  EXPECT_EQ(PlainPartOfGlob("blk.7.attn_q*"), "blk.7.attn_q");
  EXPECT_EQ(PlainPartOfGlob("a(b)?c"), "a(b)");
  EXPECT_EQ(PlainPartOfGlob("**?"), "");
  EXPECT_EQ(PlainPartOfGlob(""), "");
}

std::string_view NearestOf(std::string_view pattern) {
  const std::vector<std::string_view> names = {"token_embd.weight", "blk.0.attn_q.weight",
                                               "blk.1.ffn_down.weight", "layer.0/attn/q_proj"};
  return NearestHolding(PlainPartOfRegex(pattern), names);
}

TEST(NearestHolding, FindsItWithinANameWithFewEdits) {
  EXPECT_EQ(NearestOf(R"(blk\.99\..*)"), "blk.0.attn_q.weight");
  EXPECT_EQ(NearestOf(R"(\.ffn_dwn)"), "blk.1.ffn_down.weight");
  EXPECT_EQ(NearestOf("layer.7/atn"), "layer.0/attn/q_proj");
  EXPECT_EQ(NearestOf("tokn_embed"), "token_embd.weight");
}

TEST(NearestHolding, SaysNothingRatherThanSomethingFarOff) {
  for (std::string_view pattern : {"exps", "q", ".*", "", R"(\.ffn_.*_exps\.)"}) {
    EXPECT_EQ(NearestOf(pattern), "") << pattern;
  }
  EXPECT_EQ(NearestOf(std::string(100, 'a')), "");
}

TEST(Suggest, PrefersAWholeNameToOneThatHoldsAPart) {
  const std::vector<std::string_view> names = {"layer.*/attn/q_proj", "layer.0/attn/q_proj"};
  EXPECT_EQ(SuggestForGlob("layer.*/attn/q_prj", names), " (did you mean layer.*/attn/q_proj?)");
  EXPECT_EQ(SuggestForGlob("*atn/q_proj*", names), " (did you mean layer.0/attn/q_proj?)");
  EXPECT_EQ(SuggestForRegex("^layer.[0-9]+/attn/q_prj$", names),
            " (did you mean layer.0/attn/q_proj?)");
  EXPECT_EQ(SuggestForGlob("embed", names), "");
  EXPECT_EQ(SuggestForRegex("embed", names), "");
}

}  // namespace
}  // namespace infer
