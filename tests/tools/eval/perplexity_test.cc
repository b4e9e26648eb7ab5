// SPDX-License-Identifier: Apache-2.0
#include "tools/eval/perplexity.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

namespace infer {
namespace {

TEST(LogProbability, IsTheLogarithmOfSoftmax) {
  std::vector<float> even(8, 3.0f);
  EXPECT_NEAR(LogProbability(even, 5), -std::log(8.0), 1e-12);
  std::vector<float> two = {0.0f, std::log(3.0f)};
  EXPECT_NEAR(LogProbability(two, 0), std::log(0.25), 1e-7);
  EXPECT_NEAR(LogProbability(two, 1), std::log(0.75), 1e-7);
}

TEST(LogProbability, LargeLogitsDoNotOverflow) {
  std::vector<float> large = {1e4f, 1e4f, -1e4f};
  EXPECT_NEAR(LogProbability(large, 0), -std::log(2.0), 1e-12);
  EXPECT_NEAR(LogProbability(large, 2), -2e4 - std::log(2.0), 1e-9);
}

}  // namespace
}  // namespace infer
