// SPDX-License-Identifier: Apache-2.0
#include "tools/eval/kl_divergence.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

namespace infer {
namespace {

std::vector<float> LogsOf(std::vector<float> probabilities) {
  for (float& p : probabilities) p = std::log(p);
  return probabilities;
}

TEST(LogSoftmax, SumsToOneAndKeepsDifferences) {
  std::vector<float> row = {1, 2, 3, 1000};
  LogSoftmax(row, row);
  EXPECT_NEAR(row[3], 0, 1e-6);
  EXPECT_NEAR(row[2] - row[0], 2, 1e-4);
  std::vector<float> even(4, -7);
  LogSoftmax(even, even);
  EXPECT_NEAR(even[0], std::log(0.25), 1e-6);
}

TEST(KlDivergence, IsTheDefinition) {
  KlDivergence kl(2);
  kl.Add(LogsOf({0.5f, 0.5f}), LogsOf({0.25f, 0.75f}));
  const double expected = 0.5 * std::log(2.0) + 0.5 * std::log(0.5 / 0.75);
  EXPECT_NEAR(kl.Result().mean, expected, 1e-7);
  EXPECT_NEAR(kl.Result().max, expected, 1e-7);
  EXPECT_EQ(kl.Result().tokens, 1);
}

TEST(KlDivergence, IsZeroOfEqualRowsWithWhatIsImpossible) {
  KlDivergence kl(2);
  const std::vector<float> row = {0, -INFINITY};
  kl.Add(row, {{0, -5}});
  EXPECT_EQ(kl.Result().mean, 0);
  EXPECT_EQ(kl.Result().same_top, 1);
}

TEST(KlDivergence, CountsTopTokensAndRanks) {
  KlDivergence kl(2);
  for (int i = 0; i < 1001; ++i) {
    const bool last = i == 1000;
    kl.Add(LogsOf({0.6f, 0.4f}), last ? LogsOf({0.1f, 0.9f}) : LogsOf({0.6f, 0.4f}));
  }
  const KlResult result = kl.Result();
  EXPECT_NEAR(result.same_top, 1000.0 / 1001, 1e-12);
  EXPECT_EQ(result.median, 0);
  EXPECT_EQ(result.percentile_99, 0);
  EXPECT_EQ(result.percentile_999, 0);  // the 1000th of 1001
  EXPECT_GT(result.max, 0.7);
}

TEST(KlDivergence, OfNothingIsNothing) { EXPECT_EQ(KlDivergence(4).Result().tokens, 0); }

}  // namespace
}  // namespace infer
