// SPDX-License-Identifier: Apache-2.0
#include "tools/compile/invariant_cost.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/model/loaded_model.h"

namespace infer {
namespace {

using ::testing::IsEmpty;

class InvariantCostTest : public ::testing::Test {
 protected:
  InvariantCostTest() { options_.invariant = true; }
  std::vector<InvariantCost> Costs(const Program& program) {
    return InvariantCosts(program, model_.file(), model_.registry(), options_);
  }

  const test::LoadedModel model_{""};
  CompileModelOptions options_ = {.policy = "auto", .context = 256, .chunk = 64};
};

TEST_F(InvariantCostTest, ComparesTheLeastAndTheMostTokens) {
  const std::vector<InvariantCost> costs = Costs(model_.Compile(options_));
  ASSERT_EQ(costs.size(), 2u);
  EXPECT_EQ(costs[0].tokens, 1);
  EXPECT_EQ(costs[1].tokens, 64);
  for (const InvariantCost& cost : costs) EXPECT_GE(cost.ratio, 0.99) << cost.tokens;
}

// A Program that is slower by its estimates, as one with other kernels is.
TEST_F(InvariantCostTest, IsTheRatioOfTheEstimates) {
  CompileModelOptions slow = options_;
  slow.policy = "scalar";
  const std::vector<InvariantCost> costs = Costs(model_.Compile(slow));
  ASSERT_EQ(costs.size(), 2u);
  EXPECT_GT(costs[1].ratio, 1.5);
}

TEST_F(InvariantCostTest, IsNothingWithoutInvarianceOrAMachine) {
  Program program = model_.Compile(options_);
  program.machine = {};
  EXPECT_THAT(Costs(program), IsEmpty());
  program = model_.Compile({.policy = "auto", .context = 256, .chunk = 64});
  EXPECT_THAT(Costs(program), IsEmpty());
}

TEST(InvariantCost, IsALine) {
  EXPECT_EQ(ToText(std::vector<InvariantCost>{{1, 1.0}, {512, 1.3124}}),
            "invariant  1 token: +0.0 %, 512 tokens: +31.2 % time by the estimates\n");
  EXPECT_EQ(ToText(std::vector<InvariantCost>()), "");
}

}  // namespace
}  // namespace infer
