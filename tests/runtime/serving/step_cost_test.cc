// SPDX-License-Identifier: Apache-2.0
#include "runtime/serving/step_cost.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace infer {
namespace {

SymbolValues Call(int64_t tokens) { return {.t = tokens, .r = 1, .s = 100, .sequences = 1}; }

TEST(StepCost, BeginsWithTheEstimate) {
  StepCost cost([](const SymbolValues& call) { return 5.0 + static_cast<double>(call.t); });
  EXPECT_DOUBLE_EQ(cost.PredictMs(Call(3)), 8);
  EXPECT_DOUBLE_EQ(cost.PredictMs(Call(64)), 69);
}

TEST(StepCost, LearnsWhatCallsTake) {
  StepCost cost([](const SymbolValues& call) { return 5.0 + static_cast<double>(call.t); });
  for (int i = 0; i < 50; ++i) {
    cost.Took(Call(4), 18);    // twice the estimate
    cost.Took(Call(64), 207);  // three times
  }
  EXPECT_NEAR(cost.PredictMs(Call(4)), 18, 0.1);
  EXPECT_NEAR(cost.PredictMs(Call(64)), 207, 1);
  EXPECT_NEAR(cost.PredictMs(Call(128)), 3 * 133, 1);  // by its nearest neighbour
}

TEST(StepCost, OneDelayedCallHardlyCounts) {
  StepCost cost([](const SymbolValues&) { return 10.0; });
  for (int i = 0; i < 20; ++i) cost.Took(Call(1), 10);
  cost.Took(Call(1), 5000);
  EXPECT_LT(cost.PredictMs(Call(1)), 13);
  for (int i = 0; i < 40; ++i) cost.Took(Call(1), 20);  // but a slower machine does
  EXPECT_NEAR(cost.PredictMs(Call(1)), 20, 1);
}

TEST(StepCost, ASlowerMachineSlowsAllSizes) {
  StepCost cost([](const SymbolValues& call) { return 5.0 + static_cast<double>(call.t); });
  for (int i = 0; i < 50; ++i) {
    cost.Took(Call(2), 14);
    cost.Took(Call(64), 207);
  }
  for (int i = 0; i < 30; ++i) cost.Took(Call(2), 28);
  EXPECT_NEAR(cost.PredictMs(Call(2)), 28, 1);
  EXPECT_GT(cost.PredictMs(Call(64)), 290);
  EXPECT_LT(cost.PredictMs(Call(64)), 420);
}

TEST(StepCost, LearnsWithoutEstimates) {
  StepCost cost({});
  for (int i = 0; i < 50; ++i) {
    cost.Took(Call(1), 10);
    cost.Took(Call(512), 900);
  }
  EXPECT_NEAR(cost.PredictMs(Call(1)), 10, 0.5);
  EXPECT_NEAR(cost.PredictMs(Call(512)), 900, 5);
}

TEST(StepCost, AnEstimateThatIsNoTimeIsReplaced) {
  StepCost cost([](const SymbolValues&) { return std::numeric_limits<double>::quiet_NaN(); });
  EXPECT_TRUE(std::isfinite(cost.PredictMs(Call(7))));
  EXPECT_GT(cost.PredictMs(Call(7)), 0);
}

}  // namespace
}  // namespace infer
