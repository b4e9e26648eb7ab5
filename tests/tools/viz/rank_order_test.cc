// SPDX-License-Identifier: Apache-2.0
#include "tools/viz/rank_order.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace infer {
namespace {

using ::testing::ElementsAre;

// Points 0 and 1 above, 2 and 3 below.
std::vector<Neighbours> Join(const std::vector<std::pair<int32_t, int32_t>>& lines) {
  std::vector<Neighbours> near(4);
  for (auto [from, to] : lines) {
    near[from].below.push_back(to);
    near[to].above.push_back(from);
  }
  return near;
}

TEST(OrderRanks, UncrossesLines) {
  Ranks ranks = OrderRanks({{0, 1}, {2, 3}}, Join({{0, 3}, {1, 2}}));
  EXPECT_THAT(ranks, ElementsAre(ElementsAre(0, 1), ElementsAre(3, 2)));
}

TEST(OrderRanks, LeavesAnOrderWithoutCrossings) {
  Ranks ranks = OrderRanks({{0, 1}, {2, 3}}, Join({{0, 2}, {0, 3}, {1, 3}}));
  EXPECT_THAT(ranks, ElementsAre(ElementsAre(0, 1), ElementsAre(2, 3)));
}

TEST(OrderRanks, TakesPointsWithoutNeighbours) {
  EXPECT_THAT(OrderRanks({{1, 0}}, std::vector<Neighbours>(2)), ElementsAre(ElementsAre(1, 0)));
  EXPECT_TRUE(OrderRanks({}, {}).empty());
}

}  // namespace
}  // namespace infer
