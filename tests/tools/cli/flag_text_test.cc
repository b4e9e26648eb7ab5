// SPDX-License-Identifier: Apache-2.0
#include "tools/cli/flag_text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace infer {
namespace {

using ::testing::ElementsAre;

TEST(ParseInt, TakesTheWholeTextOnly) {
  EXPECT_EQ(*ParseInt<int32_t>("-5"), -5);
  EXPECT_EQ(*ParseInt<uint64_t>("18446744073709551615"), UINT64_MAX);
  for (const char* text : {"", " 5", "5 ", "5x", "+5", "0x10", "1e3", "1.0", "--5"}) {
    EXPECT_FALSE(ParseInt<int32_t>(text).ok()) << text;
  }
  EXPECT_FALSE(ParseInt<int32_t>("2147483648").ok());
  EXPECT_FALSE(ParseInt<uint32_t>("-1").ok());
}

TEST(ParseFloat, TakesFiniteNumbersOnly) {
  EXPECT_EQ(*ParseFloat("0.25"), 0.25);
  EXPECT_EQ(*ParseFloat("-1e-3"), -1e-3);
  EXPECT_EQ(*ParseFloat("7"), 7);
  for (const char* text : {"", "nan", "inf", "-inf", "1e999", "1,5", "0.5x", " 1", "1 "}) {
    EXPECT_FALSE(ParseFloat(text).ok()) << text;
  }
}

TEST(ParseSize, KnowsSuffixes) {
  EXPECT_EQ(*ParseSize("0"), 0u);
  EXPECT_EQ(*ParseSize("512"), 512u);
  EXPECT_EQ(*ParseSize("4k"), 4096u);
  EXPECT_EQ(*ParseSize("4K"), 4096u);
  EXPECT_EQ(*ParseSize("3MiB"), 3u << 20);
  EXPECT_EQ(*ParseSize("2gb"), 2ull << 30);
  EXPECT_EQ(*ParseSize("1.5G"), 3ull << 29);
  EXPECT_EQ(*ParseSize("1T"), 1ull << 40);
  for (const char* text : {"", "k", "-1", "4x", "4kk", "4 k", "1.5.5k", ".", "1e3"}) {
    EXPECT_FALSE(ParseSize(text).ok()) << text;
  }
}

TEST(ParseSize, RefusesWhatDoesNotFit) {
  EXPECT_TRUE(ParseSize("16777215T").ok());
  EXPECT_FALSE(ParseSize("16777216T").ok());
  EXPECT_FALSE(ParseSize("99999999999999999999").ok());
  EXPECT_FALSE(ParseSize("99999999999999999999.5G").ok());
}

TEST(SizeText, IsReadBackToTheSame) {
  EXPECT_EQ(SizeText(4096), "4k");
  EXPECT_EQ(SizeText(1000), "1000");
  for (uint64_t value : {0ull, 1ull, 1024ull, 1025ull, 3ull << 20, 1ull << 40, 1ull << 50}) {
    EXPECT_EQ(*ParseSize(SizeText(value)), value);
  }
}

TEST(ParseBool, KnowsFourSpellings) {
  for (const char* text : {"true", "on", "yes", "1"}) EXPECT_TRUE(*ParseBool(text));
  for (const char* text : {"false", "off", "no", "0"}) EXPECT_FALSE(*ParseBool(text));
  for (const char* text : {"", "maybe", "TRUE ", "2"}) EXPECT_FALSE(ParseBool(text).ok());
}

TEST(SplitWords, KeepsEmptyParts) {
  EXPECT_THAT(SplitWords("1,,2", ','), ElementsAre("1", "", "2"));
  EXPECT_THAT(SplitWords("", ','), ElementsAre(""));
  EXPECT_EQ(JoinWords({"a", "b"}, ", "), "a, b");
  EXPECT_EQ(JoinWords({}, ", "), "");
}

TEST(UnknownWord, ListsWhatIsAllowed) {
  EXPECT_EQ(std::string(UnknownWord("f15", {"f16", "q8_0"}).message()),
            "'f15' is not one of f16, q8_0 (did you mean f16?)");
}

}  // namespace
}  // namespace infer
