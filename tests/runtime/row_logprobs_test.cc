// SPDX-License-Identifier: Apache-2.0
#include "runtime/row_logprobs.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <vector>

#include "runtime/random.h"

namespace infer {
namespace {

TEST(RowLogprobs, AreTheLogarithmOfSoftmax) {
  Random random(3);
  std::vector<float> logits(1000);
  for (float& logit : logits) logit = static_cast<float>(30 * random.NextUnit() - 10);
  logits[7] = -std::numeric_limits<float>::infinity();
  double sum = 0;
  for (const float logit : logits) sum += std::exp(static_cast<double>(logit));
  std::vector<int32_t> order(logits.size());
  std::iota(order.begin(), order.end(), 0);
  std::ranges::sort(order, [&](int32_t a, int32_t b) {
    return logits[a] != logits[b] ? logits[a] > logits[b] : a < b;
  });

  RowLogprobs made = {.wanted = 12};
  ComputeLogprobs(logits, 500, &made);
  EXPECT_NEAR(made.chosen, logits[500] - std::log(sum), 1e-5);
  ASSERT_EQ(made.top.size(), 12u);
  for (size_t i = 0; i < made.top.size(); ++i) {
    EXPECT_EQ(made.top[i].id, order[i]);
    EXPECT_NEAR(made.top[i].logprob, logits[order[i]] - std::log(sum), 1e-5);
  }
}

TEST(RowLogprobs, EqualOnesComeInOrderOfTheirIds) {
  RowLogprobs made = {.wanted = 3};
  ComputeLogprobs(std::vector<float>{1, 2, 2, 1, 2}, 0, &made);
  ASSERT_EQ(made.top.size(), 3u);
  EXPECT_EQ(made.top[0].id, 1);
  EXPECT_EQ(made.top[1].id, 2);
  EXPECT_EQ(made.top[2].id, 4);
}

TEST(RowLogprobs, AskingForNoneOrForAllIsFine) {
  RowLogprobs made = {.wanted = 0};
  ComputeLogprobs(std::vector<float>{0, 0}, 1, &made);
  EXPECT_NEAR(made.chosen, std::log(0.5), 1e-6);
  EXPECT_TRUE(made.top.empty());
  made.wanted = 100;
  ComputeLogprobs(std::vector<float>{0, 0}, 1, &made);
  EXPECT_EQ(made.top.size(), 2u);
}

}  // namespace
}  // namespace infer
