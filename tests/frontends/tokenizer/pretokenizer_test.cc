// SPDX-License-Identifier: Apache-2.0
#include "frontends/tokenizer/pretokenizer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <utf8proc.h>

#include <random>

#include "frontends/tokenizer/pretokenizer_pcre2.h"
#include "frontends/tokenizer/unicode_classes.h"
#include "tests/frontends/tokenizer/nasty_text.h"

namespace infer {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using Words = std::vector<std::string>;

Words Split(const Pretokenizer& pretokenizer, std::string_view text) {
  Words words;
  absl::Status status =
      pretokenizer.Split(text, [&](std::string_view word) { words.push_back(std::string(word)); });
  EXPECT_TRUE(status.ok()) << status;
  return words;
}

Words Scan(std::string_view text) { return Split(*MakeScanningPretokenizer(1), text); }
Words ScanLlama(std::string_view text) { return Split(*MakeScanningPretokenizer(3), text); }

TEST(Qwen2Scanner, SplitsAsTheRegexDoes) {
  EXPECT_THAT(Scan(""), ElementsAre());
  EXPECT_THAT(Scan("Hello world"), ElementsAre("Hello", " world"));
  EXPECT_THAT(Scan("a 123"), ElementsAre("a", " ", "1", "2", "3"));
  EXPECT_THAT(Scan("a  b"), ElementsAre("a", " ", " b"));
  EXPECT_THAT(Scan("a   \n  b"), ElementsAre("a", "   \n", " ", " b"));
  EXPECT_THAT(Scan("a \r\n\r\n "), ElementsAre("a", " \r\n\r\n", " "));
  EXPECT_THAT(Scan("x ...\n\ny"), ElementsAre("x", " ...\n\n", "y"));
  EXPECT_THAT(Scan("\ta\t.b"), ElementsAre("\ta", "\t", ".b"));
  EXPECT_THAT(Scan("  "), ElementsAre("  "));
}

TEST(Llama3Scanner, TakesUpToThreeDigitsTogether) {
  EXPECT_THAT(ScanLlama("a 1 12 123 1234567"),
              ElementsAre("a", " ", "1", " ", "12", " ", "123", " ", "123", "456", "7"));
  EXPECT_THAT(ScanLlama("x12y\u0663\u0664\u0665\u0666"),
              ElementsAre("x", "12", "y", "\u0663\u0664\u0665", "\u0666"));
}

TEST(Qwen2Scanner, TakesContractionsInAnyCaseAndWithTheLongS) {
  EXPECT_THAT(Scan("it's I'LL we'Ve"), ElementsAre("it", "'s", " I", "'LL", " we", "'Ve"));
  EXPECT_THAT(Scan("'sx"), ElementsAre("'s", "x"));
  EXPECT_THAT(Scan("'\xC5\xBFx"), ElementsAre("'\xC5\xBF", "x"));
  EXPECT_THAT(Scan("'rx 'l"), ElementsAre("'rx", " '", "l"));
  EXPECT_THAT(Scan("'"), ElementsAre("'"));
}

TEST(Qwen2Scanner, DoesNotTakeTheMongolianVowelSeparatorForASpace) {
  EXPECT_THAT(Scan(" \xE1\xA0\x8E."), ElementsAre(" \xE1\xA0\x8E."));
}

// Hugging Face's engine, utf8proc and PCRE2 may be of different Unicode versions; they differ on
// code points that one of them has not assigned yet, and there only.
char ClassByRegex(const std::string& text) {
  static const auto& letter = *MakePcre2Pretokenizer(R"((?=\p{L}).a)")->release();
  static const auto& number = *MakePcre2Pretokenizer(R"((?=\p{N}).a)")->release();
  static const auto& unassigned = *MakePcre2Pretokenizer(R"((?=\p{Cn}).a)")->release();
  auto matches = [&](const Pretokenizer& regex) {
    return Split(regex, "(" + text + "a)").size() > 1;
  };
  return matches(letter) ? 'L' : matches(number) ? 'N' : matches(unassigned) ? 'U' : 'O';
}

char ClassByTable(char32_t c) {
  switch (UnicodeClasses::Get().class_of(c)) {
    case CharClass::kLetter:
      return 'L';
    case CharClass::kNumber:
      return 'N';
    default:
      return 'O';
  }
}

TEST(UnicodeClasses, EqualThoseOfPcre2WhereBothKnowTheCodePoint) {
  int differing = 0;
  for (char32_t c = 0; c <= 0x10FFFF; ++c) {
    if (c >= 0xD800 && c <= 0xDFFF) continue;
    std::string text;
    AppendUtf8(c, &text);
    char by_regex = text == "\n" ? 'O' : ClassByRegex(text);
    char by_table = ClassByTable(c);
    if (by_regex == by_table || (by_regex == 'U' && by_table == 'O')) continue;
    ++differing;
    bool unknown_to_utf8proc =
        utf8proc_category(static_cast<utf8proc_int32_t>(c)) == UTF8PROC_CATEGORY_CN;
    ASSERT_TRUE(by_regex == 'U' || unknown_to_utf8proc) << std::hex << static_cast<uint32_t>(c);
  }
  EXPECT_LT(differing, 15000) << "two Unicode versions apart at the most";
}

class RandomText : public ::testing::TestWithParam<int> {};

TEST_P(RandomText, IsScannedAsPcre2SplitsIt) {
  auto regex = MakePcre2Pretokenizer(GetParam() == 1 ? kQwen2SplitRegex : kLlama3SplitRegex);
  ASSERT_TRUE(regex.ok()) << regex.status();
  auto scanner = MakeScanningPretokenizer(GetParam());
  std::mt19937 random(1);
  for (int i = 0; i < 20000; ++i) {
    std::string text = NastyText(&random);
    ASSERT_EQ(Split(*scanner, text), Split(**regex, text)) << i << ": " << text;
  }
}

INSTANTIATE_TEST_SUITE_P(Digits, RandomText, ::testing::Values(1, 3));

TEST(Pcre2Pretokenizer, MakesWordsOfWhatLiesBetweenMatches) {
  auto regex = MakePcre2Pretokenizer("[0-9]+");
  ASSERT_TRUE(regex.ok());
  EXPECT_THAT(Split(**regex, "ab12c3"), ElementsAre("ab", "12", "c", "3"));
  EXPECT_THAT(Split(**regex, "none"), ElementsAre("none"));
}

TEST(Pcre2Pretokenizer, PassesOverEmptyMatches) {
  auto regex = MakePcre2Pretokenizer("x*");
  ASSERT_TRUE(regex.ok());
  EXPECT_THAT(Split(**regex, "\xC3\xBCxx\xC3\xBC"), ElementsAre("\xC3\xBC", "xx", "\xC3\xBC"));
}

TEST(Pcre2Pretokenizer, ReportsARegexThatGivesUp) {
  auto regex = MakePcre2Pretokenizer("(a+)+$");
  ASSERT_TRUE(regex.ok());
  absl::Status status = (*regex)->Split(std::string(40, 'a') + "b", [](std::string_view) {});
  EXPECT_THAT(std::string(status.message()), HasSubstr("splitting text at byte 0"));
}

TEST(Pcre2Pretokenizer, RefusesAMalformedRegex) {
  auto status = MakePcre2Pretokenizer("a[").status();
  EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(status.message()), HasSubstr("split regex, at byte 2: "));
}

}  // namespace
}  // namespace infer
