// SPDX-License-Identifier: Apache-2.0
#include "tools/compile/invariant_cost.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/model/loaded_model.h"

namespace infer {
namespace {

using ::testing::IsEmpty;

TEST(InvariantCost, ComparesTheLeastAndTheMostTokens) {
  const testing::LoadedModel model("");
  CompileModelOptions options = {.policy = "auto", .context = 256, .chunk = 64};
  options.invariant = true;
  const auto costs =
      InvariantCosts(model.Compile(options), model.file(), model.registry(), options);
  ASSERT_TRUE(costs.ok()) << costs.status();
  ASSERT_EQ(costs->size(), 2u);
  EXPECT_EQ((*costs)[0].tokens, 1);
  EXPECT_EQ((*costs)[1].tokens, 64);
  for (const InvariantCost& cost : *costs) EXPECT_GE(cost.ratio, 0.99) << cost.tokens;
}

TEST(InvariantCost, IsNothingWithoutInvarianceOrAMachine) {
  const testing::LoadedModel model("");
  CompileModelOptions options = {.policy = "auto", .context = 256, .chunk = 64};
  EXPECT_THAT(
      InvariantCosts(model.Compile(options), model.file(), model.registry(), options).value(),
      IsEmpty());
}

TEST(InvariantCost, IsALine) {
  EXPECT_EQ(ToText(std::vector<InvariantCost>{{1, 1.0}, {512, 1.3124}}),
            "invariant  1 token: +0.0 %, 512 tokens: +31.2 % time by the estimates\n");
  EXPECT_EQ(ToText(std::vector<InvariantCost>()), "");
}

}  // namespace
}  // namespace infer
