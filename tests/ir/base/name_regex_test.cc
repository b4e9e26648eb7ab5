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

// What would try for longer than anybody waits is given up, and that is not called "not found".
TEST(NameRegex, GivesUpOnAPatternThatTriesEverything) {
  absl::StatusOr<NameRegex> regex = NameRegex::Compile("^(a|aa|a?)*[cd]$");
  ASSERT_TRUE(regex.ok()) << regex.status();
  EXPECT_FALSE(regex->FoundIn("xyz"));
  EXPECT_TRUE(regex->status().ok());
  EXPECT_FALSE(regex->FoundIn(std::string(200, 'a') + "b"));
  EXPECT_THAT(std::string(regex->status().message()),
              HasSubstr("the pattern '^(a|aa|a?)*[cd]$' takes more than 10000 steps in the name"));
  EXPECT_FALSE(regex->FoundIn("ac")) << "nothing is searched for any more";
}

TEST(NameRegex, PatternsShareTheirSteps) {
  const auto steps = std::make_shared<RegexSteps>();
  const NameRegex good = *NameRegex::Compile("b$", steps);
  const NameRegex bad = *NameRegex::Compile("^(a|aa|a?)*[cd]$", steps);
  EXPECT_TRUE(good.FoundIn("ab"));
  EXPECT_FALSE(bad.FoundIn(std::string(200, 'a')));
  EXPECT_TRUE(good.status().ok());
  EXPECT_FALSE(bad.status().ok());
  EXPECT_FALSE(good.FoundIn("ab"));
}

// Searches that each end in time may still be too many: these take a few thousand steps each.
TEST(NameRegex, ManySearchesTogetherHaveALimit) {
  const NameRegex regex = *NameRegex::Compile("^(a|aa)*[cd]$");
  const std::string name(15, 'a');
  int searches = 0;
  while (regex.status().ok() && searches < 1'000'000) regex.FoundIn(name), ++searches;
  EXPECT_GT(searches, 1000);
  EXPECT_THAT(std::string(regex.status().message()), HasSubstr("use fewer or simpler patterns"));
}

}  // namespace
}  // namespace infer
