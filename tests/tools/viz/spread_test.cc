// SPDX-License-Identifier: Apache-2.0
#include "tools/viz/spread.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace infer {
namespace {

using testing::DoubleNear;
using testing::ElementsAre;

TEST(Spread, LeavesPointsAloneThatAreFarEnoughApart) {
  std::vector<SpreadPoint> points = {{0, 1, 10}, {100, 1, 10}};
  EXPECT_THAT(Spread(points, 5), ElementsAre(0, 100));
  EXPECT_TRUE(Spread({}, 5).empty());
}

TEST(Spread, PushesEqualPointsApartAsFarToEitherSide) {
  std::vector<SpreadPoint> points = {{50, 1, 10}, {50, 1, 10}};
  EXPECT_THAT(Spread(points, 5), ElementsAre(DoubleNear(42.5, 1e-9), DoubleNear(57.5, 1e-9)));
}

TEST(Spread, TheLighterPointYields) {
  std::vector<SpreadPoint> points = {{50, 1e6, 10}, {50, 1, 10}};
  EXPECT_THAT(Spread(points, 5), ElementsAre(DoubleNear(50, 1e-3), DoubleNear(65, 1e-3)));
}

TEST(Spread, KeepsTheOrderAgainstTheWishes) {
  std::vector<SpreadPoint> points = {{90, 1, 20}, {10, 1, 20}, {50, 1, 20}};
  std::vector<double> places = Spread(points, 4);
  EXPECT_GE(places[1] - places[0], 24 - 1e-9);
  EXPECT_GE(places[2] - places[1], 24 - 1e-9);
}

}  // namespace
}  // namespace infer
