// SPDX-License-Identifier: Apache-2.0
#include "ir/base/name_regex.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace infer {
namespace {

using ::testing::HasSubstr;

TEST(NameRegex, IsFoundAnywhereInAName) {
  absl::StatusOr<NameRegex> regex = NameRegex::Compile("blk\\.[0-3]\\.ffn");
  ASSERT_TRUE(regex.ok()) << regex.status();
  EXPECT_TRUE(regex->FoundIn("blk.2.ffn_up.weight"));
  EXPECT_TRUE(regex->FoundIn("model.blk.2.ffn"));
  EXPECT_FALSE(regex->FoundIn("blk.4.ffn_up.weight"));
  EXPECT_FALSE(regex->FoundIn("blk_2_ffn"));
}

TEST(NameRegex, WithoutTextIsFoundInEverything) {
  EXPECT_TRUE(NameRegex().FoundIn(""));
  EXPECT_TRUE(NameRegex::Compile("")->empty());
}

TEST(NameRegex, CopiesAreEqualByTheirText) {
  NameRegex a = *NameRegex::Compile("a+");
  NameRegex copy = a;
  EXPECT_EQ(copy, a);
  EXPECT_TRUE(copy.FoundIn("caat"));
  EXPECT_EQ(a, *NameRegex::Compile("a+"));
  EXPECT_FALSE(a == *NameRegex::Compile("a*"));
}

TEST(NameRegex, SaysWhereAPatternIsWrong) {
  EXPECT_THAT(NameRegex::Compile("blk.(0|1").status().ToString(), HasSubstr("at character 9"));
  EXPECT_THAT(NameRegex::Compile(std::string(1001, 'a')).status().ToString(),
              HasSubstr("at most 1000"));
}

// What would try for longer than anybody waits is cut off.
TEST(NameRegex, GivesUpOnAPatternThatTriesEverything) {
  absl::StatusOr<NameRegex> regex = NameRegex::Compile("^(a|aa|a?)*c$");
  ASSERT_TRUE(regex.ok()) << regex.status();
  EXPECT_FALSE(regex->FoundIn(std::string(200, 'a') + "b"));
}

}  // namespace
}  // namespace infer
