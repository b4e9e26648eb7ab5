// SPDX-License-Identifier: Apache-2.0
#include "tools/prompt/terminal_text.h"

#include <gtest/gtest.h>

#include <string>

namespace infer {
namespace {

TEST(TerminalText, LeavesTextAlone) {
  const std::string text = "Grüße,\n\tвсем 漢字 🙂 ~\xC2\xA0";
  EXPECT_EQ(TerminalText(text), text);
  EXPECT_EQ(TerminalText(""), "");
}

TEST(TerminalText, ShowsControlCharactersInsteadOfSendingThem) {
  EXPECT_EQ(TerminalText("\x1b[31mred\x1b[0m"), "␛[31mred␛[0m");
  EXPECT_EQ(TerminalText("\x1b]0;title\a"), "␛]0;title␇");
  EXPECT_EQ(TerminalText("a\rb\b\x7f"), "a␍b␈␡");
  EXPECT_EQ(TerminalText(std::string("\0", 1)), "␀");
}

TEST(TerminalText, LetsNeitherC1ControlsNorBrokenBytesThrough) {
  EXPECT_EQ(TerminalText("\xC2\x9b"
                         "31m"),
            "\uFFFD31m");  // CSI as one character
  EXPECT_EQ(TerminalText("\x9b"
                         "31m"),
            "\uFFFD31m");  // and as one byte
  EXPECT_EQ(TerminalText("\xE6\xBC"), "\uFFFD");
}

TEST(TerminalText, NoByteStringYieldsAControlCharacter) {
  for (int a = 0; a < 256; ++a) {
    for (int b = 0; b < 256; ++b) {
      const std::string bytes = {static_cast<char>(a), static_cast<char>(b), 'm'};
      for (unsigned char c : TerminalText(bytes)) {
        ASSERT_TRUE(c >= 0x20 || c == '\n' || c == '\t') << a << " " << b;
        ASSERT_NE(c, 0x7f);
      }
    }
  }
}

}  // namespace
}  // namespace infer
