// SPDX-License-Identifier: Apache-2.0
#include "passes/free_list.h"

#include <gtest/gtest.h>

namespace infer {
namespace {

TEST(FreeList, GrowsWhereNoGapHolds) {
  FreeList list;
  EXPECT_EQ(list.Take(64), 0u);
  EXPECT_EQ(list.Take(128), 64u);
  EXPECT_EQ(list.end(), 192u);
}

TEST(FreeList, TakesTheSmallestGapThatHolds) {
  FreeList list;
  for (uint64_t bytes : {256, 64, 128, 64, 192}) list.Take(bytes);
  list.GiveBack(0, 256);
  list.GiveBack(320, 128);
  list.GiveBack(512, 192);
  EXPECT_EQ(list.Take(128), 320u);
  EXPECT_EQ(list.Take(128), 512u);
  EXPECT_EQ(list.Take(64), 640u) << "the rest of the gap";
  EXPECT_EQ(list.Take(256), 0u);
  EXPECT_EQ(list.end(), 704u);
}

// Three neighbours given back in every order are one gap again.
TEST(FreeList, JoinsNeighbours) {
  constexpr int kOrders[][3] = {{0, 1, 2}, {0, 2, 1}, {1, 0, 2}, {1, 2, 0}, {2, 0, 1}, {2, 1, 0}};
  for (const auto& order : kOrders) {
    FreeList list;
    for (int i = 0; i < 4; ++i) list.Take(64);
    for (int i : order) list.GiveBack(64 * static_cast<uint64_t>(i), 64);
    EXPECT_EQ(list.Take(192), 0u);
    EXPECT_EQ(list.end(), 256u);
  }
}

TEST(FreeList, GrowsByWhatTheLastGapLacks) {
  FreeList list;
  list.Take(64);
  list.Take(64);
  list.GiveBack(64, 64);
  EXPECT_EQ(list.Take(256), 64u);
  EXPECT_EQ(list.end(), 320u);
}

TEST(FreeList, DoesNotGrowFromAGapInside) {
  FreeList list;
  list.Take(64);
  list.Take(64);
  list.GiveBack(0, 64);
  EXPECT_EQ(list.Take(128), 128u);
  EXPECT_EQ(list.Take(64), 0u) << "the gap is still there";
}

}  // namespace
}  // namespace infer
