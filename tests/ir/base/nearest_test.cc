// SPDX-License-Identifier: Apache-2.0
#include "ir/base/nearest.h"

#include <gtest/gtest.h>

namespace infer {
namespace {

constexpr std::string_view kKnown[] = {"add", "linear", "rms_norm"};

TEST(DidYouMean, FindsTheNearest) {
  EXPECT_EQ(DidYouMean("lienar", kKnown), " (did you mean linear?)");
  EXPECT_EQ(DidYouMean("rmsnorm", kKnown), " (did you mean rms_norm?)");
  EXPECT_EQ(DidYouMean("ad", kKnown), " (did you mean add?)");
}

TEST(DidYouMean, TakesABeginningForAnAbbreviation) {
  EXPECT_EQ(DidYouMean("lin", kKnown), " (did you mean linear?)");
}

TEST(DidYouMean, SaysNothingIfNothingIsNear) {
  EXPECT_EQ(DidYouMean("softmax", kKnown), "");
  EXPECT_EQ(DidYouMean("", kKnown), "");
  EXPECT_EQ(DidYouMean("x", std::span<const std::string_view>()), "");
}

}  // namespace
}  // namespace infer
