// SPDX-License-Identifier: Apache-2.0
#include "ir/base/glob.h"

#include <gtest/gtest.h>

#include <string>

namespace infer {
namespace {

TEST(GlobMatch, KnowsStarAndQuestionMark) {
  EXPECT_TRUE(GlobMatch("", ""));
  EXPECT_TRUE(GlobMatch("*", ""));
  EXPECT_TRUE(GlobMatch("*", "layer.0/attn"));
  EXPECT_TRUE(GlobMatch("a*c", "abbbc"));
  EXPECT_TRUE(GlobMatch("a*c", "ac"));
  EXPECT_TRUE(GlobMatch("*b*", "abc"));
  EXPECT_TRUE(GlobMatch("a*b*c", "a-b-b-c"));
  EXPECT_TRUE(GlobMatch("*aab", "aaaab"));  // must go back to the star
  EXPECT_TRUE(GlobMatch("layer.?/ffn/**", "layer.3/ffn/up"));
  EXPECT_FALSE(GlobMatch("", "a"));
  EXPECT_FALSE(GlobMatch("?", ""));
  EXPECT_FALSE(GlobMatch("a?", "abc"));
  EXPECT_FALSE(GlobMatch("a*c", "abd"));
  EXPECT_FALSE(GlobMatch("abc", "ab"));
  EXPECT_TRUE(GlobMatch("*b", "*ab")) << "a star in the text is a character";
}

// A pattern that makes careless matchers try every way to share the text among the stars.
TEST(GlobMatch, TakesNoExponentialTime) {
  std::string pattern;
  for (int i = 0; i < 50; ++i) pattern += "*a";
  EXPECT_FALSE(GlobMatch(pattern + "b", std::string(2000, 'a')));
}

}  // namespace
}  // namespace infer
