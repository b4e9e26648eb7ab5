// SPDX-License-Identifier: Apache-2.0
#include "backends/test/test_context.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <vector>

namespace infer {
namespace {

using ::testing::ElementsAre;

class TestContextTest : public ::testing::TestWithParam<TestPace> {};

TEST_P(TestContextTest, JobsRunInOrderAndAreDoneAfterTheWait) {
  TestContext queue(GetParam());
  std::vector<int> order;
  for (int i = 0; i < 3; ++i) {
    queue.Enqueue([&order, i] {
      order.push_back(i);
      return absl::OkStatus();
    });
  }
  EXPECT_TRUE(queue.Wait().ok());
  EXPECT_THAT(order, ElementsAre(0, 1, 2));
  EXPECT_TRUE(queue.Wait().ok());  // nothing to do
}

TEST_P(TestContextTest, WhatFollowsAFailureIsLeftOutUntilTheWait) {
  TestContext queue(GetParam());
  int later = 0;
  auto count = [&later] {
    ++later;
    return absl::OkStatus();
  };
  queue.Enqueue([] { return absl::DataLossError("first"); });
  queue.Enqueue(count);
  EXPECT_EQ(queue.Wait(), absl::DataLossError("first"));
  EXPECT_EQ(later, 0);
  queue.Enqueue(count);
  EXPECT_TRUE(queue.Wait().ok());
  EXPECT_EQ(later, 1);
}

TEST_P(TestContextTest, AnEndedQueueHasRunEverything) {
  std::atomic<bool> ran = false;
  {
    TestContext queue(GetParam());
    queue.Enqueue([&ran] {
      ran = true;
      return absl::OkStatus();
    });
  }
  EXPECT_TRUE(ran);
}

INSTANTIATE_TEST_SUITE_P(Paces, TestContextTest,
                         ::testing::Values(TestPace::kEager, TestPace::kLazy));

TEST(TestContext, ALazyQueueBeginsWithTheWait) {
  TestContext queue(TestPace::kLazy);
  std::atomic<int> value = 1;
  int seen = 0;
  queue.Enqueue([&] {
    seen = value;
    return absl::OkStatus();
  });
  value = 2;
  EXPECT_TRUE(queue.Wait().ok());
  EXPECT_EQ(seen, 2);
}

TEST(TestContext, TheBatchIsItsOwnCopy) {
  TestContext queue(TestPace::kEager);
  std::vector<int32_t> positions = {4, 5}, rows = {1}, blocks = {3, 9};
  std::vector<BatchSequence> sequences = {{0, 2, 6, blocks}};
  const Batch batch{.token_seq = {},
                    .token_pos = positions,
                    .token_slot = {},
                    .out_rows = rows,
                    .sequences = sequences,
                    .block_positions = 4};
  ASSERT_TRUE(queue.Begin(batch).ok());
  positions = {0, 0};
  blocks = {0, 0};
  const Batch& copy = *queue.batch();
  EXPECT_THAT(copy.token_pos, ElementsAre(4, 5));
  EXPECT_THAT(copy.out_rows, ElementsAre(1));
  EXPECT_EQ(copy.block_positions, 4);
  EXPECT_EQ(copy.sequences[0].length, 6);
  EXPECT_THAT(copy.sequences[0].block_table, ElementsAre(3, 9));
}

}  // namespace
}  // namespace infer
