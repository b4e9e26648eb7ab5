// SPDX-License-Identifier: Apache-2.0
#include "frontends/tokenizer/byte_encoder.h"

#include <gtest/gtest.h>

#include <set>

namespace infer {
namespace {

TEST(ByteEncoder, WritesEachByteAsItsOwnCodePoint) {
  std::set<std::string_view> texts;
  for (int byte = 0; byte < 256; ++byte) {
    std::string_view text = ByteToAlphabet(static_cast<uint8_t>(byte));
    texts.insert(text);
    std::string back;
    EXPECT_TRUE(AppendBytesOfAlphabet(text, &back));
    EXPECT_EQ(back, std::string(1, static_cast<char>(byte)));
  }
  EXPECT_EQ(texts.size(), 256u);
}

TEST(ByteEncoder, UsesTheAlphabetOfGpt2) {
  EXPECT_EQ(ByteToAlphabet(' '), "\xC4\xA0");   // U+0120
  EXPECT_EQ(ByteToAlphabet('\n'), "\xC4\x8A");  // U+010A
  EXPECT_EQ(ByteToAlphabet('a'), "a");
  EXPECT_EQ(ByteToAlphabet(0x7F), "\xC4\xA1");  // U+0121
  EXPECT_EQ(ByteToAlphabet(0xAD), "\xC5\x83");  // U+0143, the last
  EXPECT_EQ(ByteToAlphabet(0xFF), "\xC3\xBF");
}

TEST(ByteEncoder, RefusesOtherText) {
  std::string out = "kept";
  for (std::string_view text : {"a b", "a\xE4\xB8\xAD", "a\xFF", "a\xC5\x84", "\xC2\xAD"}) {
    EXPECT_FALSE(AppendBytesOfAlphabet(text, &out));
    EXPECT_EQ(out, "kept");
  }
}

}  // namespace
}  // namespace infer
