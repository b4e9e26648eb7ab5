// SPDX-License-Identifier: Apache-2.0
#include "frontends/tokenizer/normalizer.h"

#include <gtest/gtest.h>
#include <utf8proc.h>

#include <cstdlib>
#include <random>

#include "tests/frontends/tokenizer/nasty_text.h"

namespace infer {
namespace {

std::string Normalize(std::string_view text) {
  std::string storage;
  return std::string(NormalizeNfc(text, &storage));
}

std::string ByUtf8proc(std::string_view text) {
  utf8proc_uint8_t* result = nullptr;
  utf8proc_ssize_t bytes =
      utf8proc_map(reinterpret_cast<const utf8proc_uint8_t*>(text.data()),
                   static_cast<utf8proc_ssize_t>(text.size()), &result,
                   static_cast<utf8proc_option_t>(UTF8PROC_STABLE | UTF8PROC_COMPOSE));
  std::string nfc(reinterpret_cast<const char*>(result), bytes > 0 ? bytes : 0);
  std::free(result);
  return nfc;
}

TEST(Normalizer, ReturnsNormalizedTextItself) {
  std::string storage;
  for (std::string_view text : {"", "plain", "\xC3\xA9t\xC3\xA9 \xE4\xB8\xAD\xEA\xB0\x81"}) {
    EXPECT_EQ(NormalizeNfc(text, &storage).data(), text.data());
  }
}

TEST(Normalizer, ComposesWhatUnicodeSays) {
  EXPECT_EQ(Normalize("e\xCC\x81"), "\xC3\xA9");
  EXPECT_EQ(Normalize("xe\xCC\x81y"), "x\xC3\xA9y");
  EXPECT_EQ(Normalize("\xE2\x84\xAB"), "\xC3\x85") << "the Angstrom sign is the letter";
  EXPECT_EQ(Normalize("\xE1\x84\x80\xE1\x85\xA1\xE1\x86\xA8"), "\xEA\xB0\x81") << "Hangul";
  EXPECT_EQ(Normalize("\xE0\xA5\x98"), "\xE0\xA4\x95\xE0\xA4\xBC") << "excluded from composing";
  EXPECT_EQ(Normalize("q\xCC\x87\xCC\xA3"), "q\xCC\xA3\xCC\x87") << "marks in canonical order";
  EXPECT_EQ(Normalize("\xEF\xAC\x81"), "\xEF\xAC\x81") << "compatibility forms stay";
}

TEST(Normalizer, EqualsUtf8procOnEachCodePoint) {
  for (char32_t c = 0; c <= 0x10FFFF; ++c) {
    if (c >= 0xD800 && c <= 0xDFFF) continue;
    std::string text = "a";
    AppendUtf8(c, &text);
    text += "b";
    ASSERT_EQ(Normalize(text), ByUtf8proc(text)) << std::hex << static_cast<uint32_t>(c);
  }
}

TEST(Normalizer, EqualsUtf8procOnRandomText) {
  std::mt19937 random(7);
  for (int i = 0; i < 20000; ++i) {
    std::string text = NastyText(&random);
    ASSERT_EQ(Normalize(text), ByUtf8proc(text)) << i;
  }
}

}  // namespace
}  // namespace infer
