// SPDX-License-Identifier: Apache-2.0
#include "tools/api/report/wrapped_text.h"

#include <gtest/gtest.h>

namespace infer {
namespace {

TEST(AppendWrapped, BreaksAtSpacesAndIndentsWhatFollows) {
  std::string text;
  std::string word(30, 'a');
  AppendWrapped(&text, "  label", 10, word + " " + word + " " + word + " b");
  EXPECT_EQ(text, "  label   " + word + " " + word + "\n          " + word + " b\n");
}

TEST(AppendWrapped, LeavesALongWordWhole) {
  std::string text;
  AppendWrapped(&text, "x", 4, std::string(200, 'a'));
  EXPECT_EQ(text, "x   " + std::string(200, 'a') + "\n");
}

TEST(AppendWrapped, LeavesNoSpacesAtTheEndsOfLines) {
  std::string text;
  AppendWrapped(&text, "", 0, std::string(99, 'a') + "  " + std::string(50, 'b'));
  EXPECT_EQ(text, std::string(99, 'a') + "\n" + std::string(50, 'b') + "\n");
  text.clear();
  AppendWrapped(&text, "  alone", 10, "");
  EXPECT_EQ(text, "  alone\n");
}

}  // namespace
}  // namespace infer
