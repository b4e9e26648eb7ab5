// SPDX-License-Identifier: Apache-2.0
#include "tools/viz/place_on_line.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace infer {
namespace {

using ::testing::DoubleNear;
using ::testing::ElementsAre;

TEST(PlaceOnLine, LeavesPointsAloneThatAreFarEnoughApart) {
  std::vector<LinePoint> points = {{0, 1, 10}, {100, 1, 10}};
  EXPECT_THAT(PlaceOnLine(points, 5), ElementsAre(0, 100));
  EXPECT_TRUE(PlaceOnLine({}, 5).empty());
}

TEST(PlaceOnLine, PushesEqualPointsApartAsFarToEitherSide) {
  std::vector<LinePoint> points = {{50, 1, 10}, {50, 1, 10}};
  EXPECT_THAT(PlaceOnLine(points, 5), ElementsAre(DoubleNear(42.5, 1e-9), DoubleNear(57.5, 1e-9)));
}

TEST(PlaceOnLine, TheLighterPointYields) {
  std::vector<LinePoint> points = {{50, 1e6, 10}, {50, 1, 10}};
  EXPECT_THAT(PlaceOnLine(points, 5), ElementsAre(DoubleNear(50, 1e-3), DoubleNear(65, 1e-3)));
}

TEST(PlaceOnLine, KeepsTheOrderAgainstTheWishes) {
  std::vector<LinePoint> points = {{90, 1, 20}, {10, 1, 20}, {50, 1, 20}};
  std::vector<double> places = PlaceOnLine(points, 4);
  EXPECT_GE(places[1] - places[0], 24 - 1e-9);
  EXPECT_GE(places[2] - places[1], 24 - 1e-9);
}

}  // namespace
}  // namespace infer
