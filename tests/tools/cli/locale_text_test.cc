// SPDX-License-Identifier: Apache-2.0
#include "tools/cli/locale_text.h"

#include <gtest/gtest.h>

#include "tests/tools/cli/captured_run.h"

namespace infer {
namespace {

TEST(LocaleIsUtf8, AsksTheVariablesInTheirOrder) {
  EXPECT_TRUE(LocaleIsUtf8(LookupIn({{"LANG", "de_DE.UTF-8"}})));
  EXPECT_TRUE(LocaleIsUtf8(LookupIn({{"LC_ALL", ""}, {"LC_CTYPE", "C.utf8"}, {"LANG", "C"}})));
  EXPECT_FALSE(LocaleIsUtf8(LookupIn({{"LC_ALL", "C"}, {"LANG", "de_DE.UTF-8"}})));
  EXPECT_FALSE(LocaleIsUtf8(LookupIn({{"LANG", "de_DE.ISO-8859-1"}})));
  EXPECT_FALSE(LocaleIsUtf8(LookupIn({})));
}

TEST(InAscii, KeepsTheColumns) {
  EXPECT_EQ(InAscii("├─ a × 2\n│  └─ q8_0 → f32"), "|- a x 2\n|  `- q8_0 > f32");
  EXPECT_EQ(InAscii("plain, Grüße"), "plain, Grüße");
}

}  // namespace
}  // namespace infer
