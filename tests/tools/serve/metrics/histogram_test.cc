// SPDX-License-Identifier: Apache-2.0
#include "tools/serve/metrics/histogram.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>
#include <thread>

namespace infer::metrics {
namespace {

using ::testing::ElementsAre;

constexpr double kBounds[] = {1, 2, 5};

TEST(Histogram, AValueEqualToABoundCountsBelowIt) {
  Histogram histogram(kBounds);
  for (const double value : {0.0, 1.0, 1.5, 2.0, 5.0, 5.1, 100.0}) histogram.Record(value);
  const Histogram::Counts read = histogram.Read();
  EXPECT_THAT(read.counts, ElementsAre(2, 2, 1, 2));
  EXPECT_EQ(read.total, 7u);
  EXPECT_DOUBLE_EQ(read.sum, 114.6);
}

TEST(Histogram, IgnoresWhatIsNoNumber) {
  Histogram histogram(kBounds);
  histogram.Record(std::numeric_limits<double>::quiet_NaN());
  histogram.Record(std::numeric_limits<double>::infinity());
  EXPECT_EQ(histogram.Read().total, 0u);
  EXPECT_EQ(histogram.Read().sum, 0);
}

TEST(Histogram, LosesNothingOfSeveralThreads) {
  Histogram histogram(kBounds);
  {
    std::vector<std::jthread> threads;
    for (int i = 0; i < 4; ++i) {
      threads.emplace_back([&histogram] {
        for (int n = 0; n < 10'000; ++n) histogram.Record(n % 4);
      });
    }
  }
  EXPECT_THAT(histogram.Read().counts, ElementsAre(20'000, 10'000, 10'000, 0));
  EXPECT_EQ(histogram.Read().sum, 60'000);
}

}  // namespace
}  // namespace infer::metrics
