// SPDX-License-Identifier: Apache-2.0
#include "tools/bench/dispatch/dispatch_report.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace infer {
namespace {

using ::testing::HasSubstr;

TEST(DispatchTimes, AreTheHalfAndTheNineteenTwentieths) {
  std::vector<double> us;
  for (int i = 99; i >= 0; --i) us.push_back(i);
  EXPECT_EQ(TimesOf(us).median_us, 50);
  EXPECT_EQ(TimesOf(us).p95_us, 95);
  EXPECT_EQ(TimesOf({}).median_us, 0);
}

TEST(DispatchReport, HasALineAndTwoBarsForEachWay) {
  const DispatchRecord records[] = {{"team", {0.25, 0.5}, {20, 40}}, {"tbb", {2, 3}, {30, 50}}};
  const std::string table = DispatchTable(records, 2);
  EXPECT_THAT(table, HasSubstr("| team | 0.25 | 0.50 | 20.0 | 40.0 |\n"));
  EXPECT_THAT(table, HasSubstr("| tbb | 2.00 | 3.00 | 30.0 | 50.0 |\n"));
  const std::string plot = DispatchPlot(records, 2);
  EXPECT_THAT(plot, HasSubstr(">team</text>"));
  EXPECT_THAT(plot, HasSubstr(">0.25</text>"));
  EXPECT_THAT(plot, HasSubstr(">30</text>"));
}

}  // namespace
}  // namespace infer
