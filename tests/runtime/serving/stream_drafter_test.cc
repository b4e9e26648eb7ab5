// SPDX-License-Identifier: Apache-2.0
#include "runtime/serving/stream_drafter.h"

#include <gtest/gtest.h>

#include <vector>

namespace infer {
namespace {

DraftEstimates EqualCosts() {
  DraftEstimates estimates;
  for (auto& costs : estimates) costs.fill(1);
  return estimates;
}

std::vector<int32_t> Propose(StreamDrafter& drafter, int64_t decoding) {
  const std::vector<int32_t> text = {1, 2, 3, 4, 5, 6, 7, 8, 9, 1, 2, 3, 4};
  drafter.SetDecoding(decoding);
  std::vector<int32_t> draft = {99};
  EXPECT_TRUE(drafter.Propose(text, 7, nullptr, &draft).ok());
  return draft;
}

TEST(StreamDrafter, DraftsWhileFewRun) {
  StreamDrafter drafter(EqualCosts(), 100);
  EXPECT_FALSE(Propose(drafter, 1).empty());
  EXPECT_EQ(Propose(drafter, 1)[0], 5);
  EXPECT_FALSE(Propose(drafter, 2).empty());
  EXPECT_TRUE(Propose(drafter, 3).empty());
  EXPECT_TRUE(Propose(drafter, 16).empty());
}

TEST(StreamDrafter, StopsWhereDraftsDoNotPay) {
  DraftEstimates costly;
  for (auto& costs : costly) {
    for (size_t k = 0; k < costs.size(); ++k) costs[k] = 1 + static_cast<double>(k);
  }
  StreamDrafter drafter(costly, 100);
  int drafted = 0;
  for (int i = 0; i < 100; ++i) {
    const auto proposed = static_cast<int64_t>(Propose(drafter, 1).size());
    drafted += proposed > 0 ? 1 : 0;
    drafter.Done({.proposed = proposed, .accepted = 0});
  }
  EXPECT_LT(drafted, 20);
}

}  // namespace
}  // namespace infer
