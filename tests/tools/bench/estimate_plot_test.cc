// SPDX-License-Identifier: Apache-2.0
#include "tools/bench/estimate_plot.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace infer {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

Profile TwoNodes() {
  ProfileRegime regime;
  regime.min_tokens = 1;
  regime.max_tokens = 4;
  regime.nodes.resize(3);
  regime.nodes[0].op = "linear";
  regime.nodes[1].op = "silu";
  regime.nodes[2].op = "never_run";
  CallGroup group;
  group.min_tokens = group.max_tokens = 1;
  group.calls = 7;
  group.wall_ns = 7 * 4'000'000;
  group.wall_p50_ns = 3'500'000;
  group.estimate_ns = 2'800'000;  // more than the steps': the call has a cost of its own
  group.timings.resize(3);
  group.timings[0] = {.n = 7, .p50_ns = 2'000'000, .estimate_ns = 1'900'000};
  group.timings[1] = {.n = 7, .p50_ns = 1'000'000, .estimate_ns = 400'000};
  regime.groups.push_back(group);
  Profile profile;
  profile.regimes.push_back(regime);
  return profile;
}

TEST(EstimatePlot, HasAPointForEachNodeThatRan) {
  const std::vector<EstimatePoint> points = EstimatePoints(TwoNodes());
  ASSERT_EQ(points.size(), 2u);
  EXPECT_EQ(points[0].op, "linear");
  EXPECT_EQ(points[0].estimate_ns, 1'900'000);
  EXPECT_EQ(points[1].measured_ns, 1'000'000);
}

TEST(EstimatePlot, DrawsPointsOnALogarithmicSquare) {
  const std::vector<EstimatePoint> points = {{"linear", 1000, 1000}, {"silu", 1e6, 1e4}};
  const std::string svg = EstimatePlot(points, "a < b");
  EXPECT_THAT(svg, HasSubstr("a &#60; b"));
  EXPECT_THAT(svg, HasSubstr("<circle cx=\"70.0\" cy=\"520.0\""));   // the lower left corner
  EXPECT_THAT(svg, HasSubstr("<circle cx=\"550.0\" cy=\"360.0\""));  // a third of the way up
  EXPECT_THAT(svg, HasSubstr(">1 us<"));
  EXPECT_THAT(svg, HasSubstr(">1 ms<"));
}

TEST(EstimatePlot, OfNothingIsAPlotToo) {
  EXPECT_THAT(EstimatePlot({}, "none"), HasSubstr("</svg>"));
  EXPECT_THAT(EstimatePlot({}, "none"), Not(HasSubstr("nan")));
}

TEST(EstimateSums, CompareTheEstimateOfACallWithCalls) {
  const std::string text = EstimateSums(TwoNodes());
  EXPECT_THAT(text,
              HasSubstr("| estimate ms | mean call ms | ratio | median call ms | ratio | sum of "
                        "the steps' medians ms | nodes within 25 % |"));
  EXPECT_THAT(text, HasSubstr("| 1..4 | 1..1 | 7 | 2.800 | 4.000 | 0.70 | 3.500 | 0.80 | 3.000 | "
                              "1 of 2 |"));
}

TEST(EstimateSums, HaveNoRatioOfWhatAProfileDoesNotHave) {
  Profile profile = TwoNodes();
  profile.regimes[0].groups[0].wall_p50_ns = 0;
  EXPECT_THAT(EstimateSums(profile), HasSubstr("| 2.800 | 4.000 | 0.70 | - | - | 3.000 |"));
  profile.regimes[0].groups[0].estimate_ns = 0;
  EXPECT_THAT(EstimateSums(profile), HasSubstr("| - | 4.000 | - | - | - | 3.000 |"));
}

}  // namespace
}  // namespace infer
