// SPDX-License-Identifier: Apache-2.0
#include "backends/simd/expert_rows.h"

#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace infer::simd {
namespace {

using ::testing::ElementsAre;

TensorView Ids(std::vector<int32_t>& ids, int64_t used) {
  return {.data = reinterpret_cast<std::byte*>(ids.data()),
          .dtype = DType::kI32,
          .rank = 2,
          .dims = {static_cast<int64_t>(ids.size()) / used, used}};
}

TEST(ExpertRows, SortsPlacesByExpert) {
  std::vector<int32_t> ids = {2, 0, 3, 2, 0, 2};
  const TensorView view = Ids(ids, 2);
  const ExpertRows rows(view, 4);
  EXPECT_EQ(rows.rows(0), 2);
  EXPECT_EQ(rows.rows(1), 0);
  EXPECT_EQ(rows.rows(2), 3);
  EXPECT_EQ(rows.first(3), 5);
  EXPECT_EQ(rows.active(), 3);
  std::vector<int32_t> places(6);
  rows.Sort(places.data());
  EXPECT_THAT(places, ElementsAre(1, 4, 0, 3, 5, 2));
}

TEST(ExpertRows, PutsUnknownExpertsLast) {
  std::vector<int32_t> ids = {4, 1, -1, 0};
  const TensorView view = Ids(ids, 1);
  const ExpertRows rows(view, 4);
  EXPECT_EQ(rows.first(4), 2);
  EXPECT_EQ(rows.active(), 2);
  std::vector<int32_t> places(4);
  rows.Sort(places.data());
  EXPECT_THAT(places, ElementsAre(3, 1, 0, 2));
}

int64_t Position(const ExpertItem& item, int64_t granules) {
  return item.expert * granules + item.granule;
}

// 4 rows of work for the weights of each expert, as in expert_rows.cc.
int64_t CostBetween(const ExpertRows& rows, int64_t granules, ExpertItem from, ExpertItem to) {
  int64_t cost = 0;
  for (int64_t at = Position(from, granules); at < Position(to, granules); ++at) {
    const int64_t n = rows.rows(at / granules);
    cost += n == 0 ? 0 : n + 4;
  }
  return cost;
}

TEST(ExpertUnits, CoverEverythingOnceInSharesOfEqualCost) {
  constexpr int64_t kGranules = 24;
  std::vector<int32_t> ids(500, 7);  // nearly all rows are of one expert
  for (int32_t i = 0; i < 20; ++i) ids[i * 3] = i % 10;
  const TensorView view = Ids(ids, 1);
  const ExpertRows rows(view, 16);
  const ExpertUnits units(rows, kGranules);
  EXPECT_EQ(units.count(), rows.active() * kGranules);
  EXPECT_EQ(Position(units.First(0), kGranules), 0);
  EXPECT_EQ(units.First(units.count()).expert, 16);
  const int64_t total = CostBetween(rows, kGranules, units.First(0), units.First(units.count()));
  for (int64_t threads : {2, 3, 8}) {
    for (int64_t i = 0; i < threads; ++i) {
      const int64_t cost = CostBetween(rows, kGranules, units.First(units.count() * i / threads),
                                       units.First(units.count() * (i + 1) / threads));
      EXPECT_NEAR(static_cast<double>(cost), static_cast<double>(total) / threads, 500);
    }
  }
}

TEST(ExpertUnits, IsOneIfNoExpertHasRows) {
  std::vector<int32_t> ids = {-1};
  const TensorView view = Ids(ids, 1);
  const ExpertRows rows(view, 4);
  const ExpertUnits units(rows, 3);
  EXPECT_EQ(units.count(), 1);
  EXPECT_EQ(units.First(0).expert, 4);
}

}  // namespace
}  // namespace infer::simd
