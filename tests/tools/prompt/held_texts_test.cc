// SPDX-License-Identifier: Apache-2.0
#include "tools/prompt/held_texts.h"

#include <gtest/gtest.h>

#include <string>

namespace infer {
namespace {

TEST(HeldTexts, ALineIsShownAsItIs) {
  HeldTexts held;
  EXPECT_EQ(held.Shown("What is 漢字?"), "What is 漢字?");
  EXPECT_EQ(held.Expanded("[not a label]"), "[not a label]");
}

TEST(HeldTexts, LinesAreShownAsALabelAndComeBack) {
  HeldTexts held;
  const std::string code = "\n  int main() {\n\treturn 0;\n}\n";
  const std::string label = held.Shown(code);
  EXPECT_EQ(label, "[4 lines #1: int main() {...]");
  EXPECT_EQ(held.Expanded("before " + label + " and " + label), "before " + code + " and " + code);
  EXPECT_EQ(held.Shown(code), label) << "the same text has one label";
  const std::string other = held.Shown("\n  int main() {\n\treturn 1;\n}\n");
  EXPECT_NE(other, label);
  EXPECT_EQ(held.Expanded(label.substr(1)), label.substr(1)) << "half a label is text";
}

TEST(HeldTexts, LabelsHoldNoControlCharacterAndNoHalfCharacter) {
  HeldTexts held;
  EXPECT_EQ(held.Shown("a\x1b[31m"), "[1 line #1: a [31m...]");
  EXPECT_EQ(held.Shown("\ta"), "[1 line #2: a...]");
  std::string wide;
  for (int i = 0; i < 1000; ++i) wide += "漢";
  EXPECT_EQ(held.Shown(wide), "[1 line #3: 漢漢漢漢漢漢漢漢漢漢...]");
  EXPECT_EQ(held.Expanded("[1 line #3: 漢漢漢漢漢漢漢漢漢漢...]"), wide);
}

}  // namespace
}  // namespace infer
