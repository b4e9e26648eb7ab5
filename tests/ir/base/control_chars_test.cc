// SPDX-License-Identifier: Apache-2.0
#include "ir/base/control_chars.h"

#include <gtest/gtest.h>

namespace infer {
namespace {

TEST(ControlChars, AreThoseThatTerminalsObey) {
  for (std::string_view text : {"a\033[31m", "\n", "a\t", "\x7f",
                                "\xc2\x9b"
                                "31m",
                                "x\xc2\x80"}) {
    EXPECT_TRUE(HasControl(text)) << text;
  }
  EXPECT_TRUE(HasControl(std::string_view("\0", 1)));
  // U+00A0, U+00C0, whose second byte is 0x80, and a character cut short.
  for (std::string_view text : {"", "layer.0/ffn ~", "\xc2\xa0", "\xc3\x80", "\xc2"}) {
    EXPECT_FALSE(HasControl(text)) << text;
  }
}

TEST(ControlChars, AFirstLineHasNone) {
  EXPECT_EQ(FirstLine("a\tb\033c\nd"), "a b c");
  EXPECT_EQ(FirstLine("\xc2\x9b"
                      "1m\xc3\xa9"),
            " 1m\xc3\xa9");
  EXPECT_EQ(FirstLine(""), "");
}

}  // namespace
}  // namespace infer
