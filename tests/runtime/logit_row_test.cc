// SPDX-License-Identifier: Apache-2.0
#include "runtime/logit_row.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "runtime/portable_exp.h"
#include "runtime/random.h"

namespace infer {
namespace {

constexpr float kInf = std::numeric_limits<float>::infinity();
constexpr float kNan = std::numeric_limits<float>::quiet_NaN();

TEST(LogitRow, SummaryFindsTheLargestAndAnythingBad) {
  for (size_t at = 0; at < 40; ++at) {
    std::vector<float> row(40, -2.5f);
    row[at] = -1.5f;
    row[(at + 7) % 40] = -kInf;
    EXPECT_EQ(Summarize(row).largest, -1.5f);
    EXPECT_FALSE(Summarize(row).has_bad);
    for (const float bad : {kNan, -kNan, kInf}) {
      row[at] = bad;
      EXPECT_TRUE(Summarize(row).has_bad);
      EXPECT_TRUE(IsBadLogit(bad));
    }
  }
  EXPECT_EQ(Summarize(std::vector<float>(9, -kInf)).largest, -kInf);
  EXPECT_FALSE(Summarize(std::vector<float>(9, -kInf)).has_bad);
  EXPECT_FALSE(IsBadLogit(-kInf));
  EXPECT_FALSE(IsBadLogit(std::numeric_limits<float>::max()));
  EXPECT_FALSE(IsBadLogit(std::numeric_limits<float>::lowest()));
}

TEST(LogitRow, ApproximateWeightIsWithinItsBounds) {
  Random random(3);
  for (int i = 0; i < 200000; ++i) {
    const float largest = static_cast<float>(200 * random.NextUnit() - 100);
    const float logit = largest - static_cast<float>((i % 2 == 0 ? 120 : 20) * random.NextUnit());
    const double exact = std::exp(static_cast<double>(logit) - static_cast<double>(largest));
    ASSERT_NEAR(ApproximateWeight({&logit, 1}, largest), exact,
                WeightError(static_cast<double>(largest) - static_cast<double>(logit)) * exact +
                    kTinyWeight)
        << logit << " of " << largest;
  }
  EXPECT_LT(ApproximateWeight(std::vector<float>(100, -kInf), 3.0f), 100 * kTinyWeight);
  EXPECT_LT(ApproximateWeight(std::vector<float>(100, -3e38f), 3e38f), 100 * kTinyWeight);
}

TEST(LogitRow, ATermDoesNotDependOnItsPlace) {
  Random random(4);
  std::vector<float> row(50);
  for (float& logit : row) logit = static_cast<float>(-30 * random.NextUnit());
  double sum = 0;
  for (const float& logit : row) sum += ApproximateWeight({&logit, 1}, 0.0f);
  EXPECT_NEAR(ApproximateWeight(row, 0.0f), sum, 1e-14 * sum);
}

TEST(LogitRow, ExactWeightAddsInOrderOfId) {
  Random random(5);
  std::vector<float> row(1000);
  for (float& logit : row) logit = static_cast<float>(-30 * random.NextUnit());
  row[300] = -kInf;
  double sum = 0;
  for (const float logit : row) sum += PortableExp(logit - 0.25);
  EXPECT_EQ(ExactWeight(row, 0.25f), sum);
}

TEST(LogitRow, CollectsWhatIsAboveTheThreshold) {
  const std::vector<float> row = {1, -kInf, 3, 2, 3};
  std::vector<TokenLogit> out(row.size());
  ASSERT_EQ(CollectAbove(row, 2.0f, out), 2u);
  EXPECT_EQ(out[0].id, 2);
  EXPECT_EQ(out[1].id, 4);
  EXPECT_EQ(CollectAbove(row, kExcludedLogit, out), 4u);
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
