// SPDX-License-Identifier: Apache-2.0
#include "tools/compile/rank_cost.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/model/loaded_model.h"
#include "tests/model/shared_norms.h"

namespace infer {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;

class RankCostTest : public ::testing::Test {
 protected:
  RankCostTest() { options_.shard.ranks = 2; }
  std::vector<RankCost> Costs() {
    return RankCosts(model_.Compile(options_), model_.file(), model_.registry(), options_);
  }

  const test::LoadedModel model_{""};
  CompileModelOptions options_ = {.policy = "auto", .context = 256, .chunk = 64};
};

TEST_F(RankCostTest, CountsWhatTheLeastAndTheMostTokensExchange) {
  const std::vector<RankCost> costs = Costs();
  ASSERT_EQ(costs.size(), 2u);
  EXPECT_EQ(costs[0].tokens, 1);
  EXPECT_EQ(costs[1].tokens, 64);
  EXPECT_GT(costs[0].collectives, 0);
  EXPECT_EQ(costs[0].collectives, costs[1].collectives);
  EXPECT_GT(costs[0].received_bytes, 0);
  EXPECT_GT(costs[1].received_bytes, 10 * costs[0].received_bytes);
  for (const RankCost& cost : costs) {
    EXPECT_GT(cost.alone_ms, 0);
    EXPECT_GT(cost.ms, cost.collectives_ms);
  }
}

// FAST leaves the inner dimension divided, which saves every second collective of a layer.
TEST_F(RankCostTest, FastExchangesLess) {
  const std::vector<RankCost> exact = Costs();
  options_.shard.mode = ShardPolicy::Mode::kFast;
  const std::vector<RankCost> fast = Costs();
  EXPECT_LT(fast[0].collectives, exact[0].collectives);
}

TEST_F(RankCostTest, IsNothingForOneProcess) {
  options_.shard.ranks = 1;
  EXPECT_THAT(Costs(), IsEmpty());
  EXPECT_EQ(ToText(std::vector<RankCost>(), {}), "");
}

TEST(RankCost, IsALineForEachCall) {
  const std::vector<RankCost> costs = {{.tokens = 1,
                                        .collectives = 3,
                                        .received_bytes = 4000,
                                        .alone_ms = 2,
                                        .ms = 1.25,
                                        .collectives_ms = 0.25}};
  EXPECT_EQ(
      ToText(costs, {.ranks = 2}),
      "gain     of 2 ranks by the estimates:\n"
      "     1 token   4.0 KB received in 3 collectives, 0.25 of 1.25 ms; one process 2.00 ms: "
      "1.60 times as fast\n");
}

TEST(RankCost, SaysThatMessagesWereNotCounted) {
  const std::vector<RankCost> costs = {{.tokens = 1, .collectives = 3, .alone_ms = 2, .ms = 1}};
  EXPECT_THAT(ToText(costs, {.ranks = 2}), HasSubstr("messages count as free"));
}

}  // namespace
}  // namespace infer
