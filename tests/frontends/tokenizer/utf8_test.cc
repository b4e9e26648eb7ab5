// SPDX-License-Identifier: Apache-2.0
#include "frontends/tokenizer/utf8.h"

#include <gtest/gtest.h>

namespace infer {
namespace {

std::string Replace(std::string_view text) {
  std::string storage;
  return std::string(ReplaceInvalidUtf8(text, &storage));
}

constexpr char kBad[] = "\xEF\xBF\xBD";

TEST(Utf8, WritesAndReadsEveryCodePoint) {
  for (char32_t c = 0; c <= 0x10FFFF; ++c) {
    if (c >= 0xD800 && c <= 0xDFFF) continue;
    std::string text;
    AppendUtf8(c, &text);
    Utf8Scan scan = ScanUtf8(text);
    ASSERT_EQ(scan.kind, Utf8Kind::kComplete) << uint32_t{c};
    ASSERT_EQ(scan.bytes, text.size()) << uint32_t{c};
    ASSERT_TRUE(DecodeValidUtf8(text, 0).value == c) << uint32_t{c};
    ASSERT_EQ(DecodeValidUtf8(text, 0).bytes, text.size());
    for (size_t cut = 1; cut < text.size(); ++cut) {
      ASSERT_EQ(ScanUtf8(std::string_view(text).substr(0, cut)).kind, Utf8Kind::kTruncated)
          << uint32_t{c};
    }
  }
}

TEST(Utf8, ReturnsValidTextItself) {
  std::string storage;
  std::string_view text = "plain, \xC3\xBC\xE4\xB8\xAD\xF0\x9F\x98\x80";
  EXPECT_EQ(ReplaceInvalidUtf8(text, &storage).data(), text.data());
}

// The expected counts are those of Python's bytes.decode(errors="replace").
TEST(Utf8, ReplacesMaximalIllFormedParts) {
  std::string bad = kBad;
  EXPECT_EQ(Replace("a\x80z"), "a" + bad + "z");
  EXPECT_EQ(Replace("\xC0\xAF"), bad + bad) << "overlong";
  EXPECT_EQ(Replace("\xE0\x80\x80"), bad + bad + bad) << "overlong";
  EXPECT_EQ(Replace("\xED\xA0\x80"), bad + bad + bad) << "surrogate";
  EXPECT_EQ(Replace("\xF4\x90\x80\x80"), bad + bad + bad + bad) << "above U+10FFFF";
  EXPECT_EQ(Replace("\xF0\x9F\x98"
                    "a"),
            bad + "a")
      << "one part of three bytes";
  EXPECT_EQ(Replace("\xE2\x82"), bad) << "cut at the end";
  EXPECT_EQ(Replace("\xF5\xFF"), bad + bad);
}

TEST(Utf8, CountsAsciiAtTheStart) {
  EXPECT_EQ(AsciiPrefixBytes(""), 0u);
  EXPECT_EQ(AsciiPrefixBytes("0123456789"), 10u);
  EXPECT_EQ(AsciiPrefixBytes("0123456789\xC3\xBC"), 10u);
  EXPECT_EQ(AsciiPrefixBytes("01234\xC3\xBC"
                             "89012345"),
            5u);
}

}  // namespace
}  // namespace infer
