// SPDX-License-Identifier: Apache-2.0
#include "tests/metal_emulation/runtime/thread_order.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

namespace infer::emulation {
namespace {

using ::testing::ElementsAre;

TEST(ThreadOrder, ForwardIsLockstep) {
  ThreadOrder order(Order::kForward, 70, 1);
  order.Next();
  EXPECT_FALSE(order.runs_ahead());
  EXPECT_EQ(order.Part(0).size(), 70u);
  EXPECT_EQ(order.Part(0)[69], 69u);
}

TEST(ThreadOrder, ReverseLetsTheLastSimdgroupRunAhead) {
  ThreadOrder order(Order::kReverse, 34, 1);
  order.Next();
  EXPECT_TRUE(order.runs_ahead());
  EXPECT_THAT(order.Part(0), ElementsAre(33, 32));
  EXPECT_EQ(order.Part(2).size(), 32u);
  EXPECT_EQ(order.Part(2)[0], 31u);
}

TEST(ThreadOrder, ShuffledDoesBothWithEachThreadOnce) {
  ThreadOrder order(Order::kShuffled, 70, 3);
  std::set<bool> ahead;
  std::set<uint32_t> first;
  for (int round = 0; round < 32; ++round) {
    order.Next();
    ahead.insert(order.runs_ahead());
    std::set<uint32_t> seen;
    for (size_t begin = 0; begin < order.size();) {
      const std::span<const uint32_t> part = order.Part(begin);
      seen.insert(part.begin(), part.end());
      for (uint32_t thread : part) {
        EXPECT_TRUE(!order.runs_ahead() || thread / 32 == part[0] / 32);
      }
      begin += part.size();
    }
    EXPECT_EQ(seen.size(), 70u);
    if (order.runs_ahead()) first.insert(order.Part(0)[0] / 32);
  }
  EXPECT_EQ(ahead.size(), 2u);
  EXPECT_EQ(first.size(), 3u);  // every simdgroup comes first in some round
}

TEST(ThreadOrder, ASeedRepeats) {
  std::vector<uint32_t> once;
  for (int i = 0; i < 2; ++i) {
    ThreadOrder order(Order::kShuffled, 64, 5);
    order.Next();
    const std::vector<uint32_t> found(order.Part(0).begin(), order.Part(0).end());
    if (i == 0) once = found;
    EXPECT_EQ(found, once);
  }
}

}  // namespace
}  // namespace infer::emulation
