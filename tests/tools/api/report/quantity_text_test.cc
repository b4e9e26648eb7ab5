// SPDX-License-Identifier: Apache-2.0
#include "tools/api/report/quantity_text.h"

#include <gtest/gtest.h>

#include <vector>

namespace infer {
namespace {

TEST(QuantityText, HasThreeDigitsAndAUnit) {
  EXPECT_EQ(TimeText(0), "-");
  EXPECT_EQ(TimeText(812), "812 ns");
  EXPECT_EQ(TimeText(1240), "1.24 us");
  EXPECT_EQ(TimeText(12.4e6), "12.4 ms");
  EXPECT_EQ(TimeText(999.9), "1.00 us");
  EXPECT_EQ(FlopsText(131072), "131 kFLOP");
  EXPECT_EQ(BytesText(512), "512 B");
  EXPECT_EQ(BytesText(1536), "1.50 KiB");
  EXPECT_EQ(BytesText(6.0 * 1048576), "6.00 MiB");
}

TEST(QuantityText, ThresholdsAreExact) {
  EXPECT_EQ(ExactText(1114112), "1,114,112");
  EXPECT_EQ(ExactText(0), "0");
  EXPECT_EQ(ExactText(0.5), "0.5");
  EXPECT_EQ(ExactText(-3), "-3");
}

TEST(QuantityText, JoinsRunsOfLayers) {
  EXPECT_EQ(LayersText(std::vector<int64_t>{0, 1, 2, 5, 7, 8}), "0..2, 5, 7..8");
  EXPECT_EQ(LayersText(std::vector<int64_t>{3}), "3");
  EXPECT_EQ(LayersText({}), "");
  EXPECT_EQ(RangeText({1, 1}), "1");
  EXPECT_EQ(SpanText("a", "a"), "a");
  EXPECT_EQ(SpanText("a", "b"), "a..b");
}

TEST(QuantityText, CountsCharactersNotBytes) {
  EXPECT_EQ(DisplayColumns("├─ × 5"), 6u);
  EXPECT_EQ(PadTo("├─", 4), "├─  ");
  EXPECT_EQ(PadLeft("×", 3), "  ×");
  EXPECT_EQ(PadTo("long", 2), "long");
}

}  // namespace
}  // namespace infer
