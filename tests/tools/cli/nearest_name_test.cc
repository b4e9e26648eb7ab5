// SPDX-License-Identifier: Apache-2.0
#include "tools/cli/nearest_name.h"

#include <gtest/gtest.h>

#include <vector>

namespace infer {
namespace {

const std::vector<std::string> kNames = {"--predict", "--prompt", "--temp", "--top-k", "-n"};

TEST(NearestName, FindsTypingMistakes) {
  EXPECT_EQ(NearestName("--predcit", kNames), "--predict");
  EXPECT_EQ(NearestName("--promt", kNames), "--prompt");
  EXPECT_EQ(NearestName("--topk", kNames), "--top-k");
}

TEST(NearestName, TakesABeginningForAnAbbreviation) {
  EXPECT_EQ(NearestName("--pred", kNames), "--predict");
}

TEST(NearestName, KeepsSilentAboutOtherWords) {
  EXPECT_EQ(NearestName("--completely-different", kNames), "");
  EXPECT_EQ(NearestName("-z", kNames), "-n");  // one letter off is as near as it gets
  EXPECT_EQ(NearestName("x", {}), "");
  EXPECT_EQ(DidYouMean("--completely-different", kNames), "");
  EXPECT_EQ(DidYouMean("--promt", kNames), " (did you mean --prompt?)");
}

}  // namespace
}  // namespace infer
