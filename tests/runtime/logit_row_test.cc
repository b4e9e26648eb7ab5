// SPDX-License-Identifier: Apache-2.0
#include "runtime/logit_row.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "runtime/random.h"

namespace infer {
namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity();
constexpr float kNoNumber = std::numeric_limits<float>::quiet_NaN();

TEST(LogitRow, SummaryFindsTheLargestAndAnythingBad) {
  for (size_t at = 0; at < 40; ++at) {
    std::vector<float> row(40, -2.5f);
    row[at] = -1.5f;
    row[(at + 7) % 40] = -kInfinity;
    EXPECT_EQ(Summarize(row).largest, -1.5f);
    EXPECT_FALSE(Summarize(row).has_bad);
    for (const float bad : {kNoNumber, -kNoNumber, kInfinity}) {
      row[at] = bad;
      EXPECT_TRUE(Summarize(row).has_bad);
      EXPECT_TRUE(IsBadLogit(bad));
    }
  }
  EXPECT_EQ(Summarize(std::vector<float>(9, -kInfinity)).largest, -kInfinity);
  EXPECT_FALSE(Summarize(std::vector<float>(9, -kInfinity)).has_bad);
  EXPECT_FALSE(IsBadLogit(-kInfinity));
  EXPECT_FALSE(IsBadLogit(std::numeric_limits<float>::max()));
  EXPECT_FALSE(IsBadLogit(std::numeric_limits<float>::lowest()));
}

TEST(LogitRow, SummaryOfZerosAndOfOneSign) {
  EXPECT_EQ(Summarize(std::vector<float>{-0.0f, -2.0f}).largest, 0.0f);
  EXPECT_EQ(Summarize(std::vector<float>{-0.0f, 0.0f, -2.0f}).largest, 0.0f);
  EXPECT_EQ(Summarize(std::vector<float>{-7.0f, -2.0f, -9.0f}).largest, -2.0f);
  EXPECT_EQ(Summarize(std::vector<float>{7.0f, 2.0f, 9.0f}).largest, 9.0f);
  EXPECT_EQ(Summarize(std::vector<float>{1e-42f, -1e-42f}).largest, 1e-42f);
  EXPECT_EQ(Summarize({}).largest, -kInfinity);
}

TEST(LogitRow, OrderIsThatOfLogits) {
  const std::vector<float> ascending = {-kInfinity, -3e38f, -1.0f, -1e-45f, -0.0f,
                                        0.0f,       1e-45f, 1.0f,  3e38f,   kInfinity};
  for (size_t i = 0; i < ascending.size(); ++i) {
    EXPECT_EQ(LogitOfOrder(LogitOrder(ascending[i])), ascending[i]);
    if (i == 0) continue;
    EXPECT_LT(LogitOrder(ascending[i - 1]), LogitOrder(ascending[i]));
  }
}

TEST(LogitRow, CollectsWhatIsBetweenTheBounds) {
  const std::vector<float> row = {1, -kInfinity, 3, 2, 3, 4};
  std::vector<TokenLogit> out(row.size());
  ASSERT_EQ(CollectBetween(row, 2.5f, 3.0f, out), 2u);
  EXPECT_EQ(out[0].id, 2);
  EXPECT_EQ(out[1].id, 4);
  EXPECT_EQ(out[1].logit, 3.0f);
  EXPECT_EQ(CollectBetween(row, 1.0f, 4.0f, out), 5u);
  EXPECT_EQ(CollectBetween(row, 3.5f, 3.0f, out), 0u);
}

TEST(LogitRow, CollectsFromEveryPlaceOfALongRow) {
  for (size_t at = 0; at < 70; ++at) {
    std::vector<float> row(70, 1.0f);
    row[at] = 2.0f;
    std::vector<TokenLogit> out(row.size());
    ASSERT_EQ(CollectBetween(row, 1.5f, 2.0f, out), 1u);
    EXPECT_EQ(out[0].id, static_cast<int32_t>(at));
  }
}

TEST(LogitRow, SortsLargestFirstAndEqualsById) {
  Random random(6);
  for (const size_t count : {0, 1, 2, 399, 400, 3000}) {
    std::vector<TokenLogit> tokens(count), scratch(count);
    for (size_t i = 0; i < count; ++i) {
      const float logit = static_cast<float>(random.Next() % 401) - 200;
      tokens[i] = {logit == 0 && i % 2 == 0 ? -0.0f : logit / 3, static_cast<int32_t>(i)};
    }
    const std::span<TokenLogit> sorted = SortByLogit(tokens, scratch);
    ASSERT_EQ(sorted.size(), count);
    for (size_t i = 1; i < count; ++i) {
      ASSERT_TRUE(sorted[i - 1].logit > sorted[i].logit ||
                  (sorted[i - 1].logit == sorted[i].logit && sorted[i - 1].id < sorted[i].id));
    }
  }
}

}  // namespace
}  // namespace infer
