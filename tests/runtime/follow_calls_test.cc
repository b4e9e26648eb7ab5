// SPDX-License-Identifier: Apache-2.0
#include "runtime/follow_calls.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <numeric>
#include <thread>
#include <vector>

#include "runtime/in_process_ranks.h"

namespace infer {
namespace {

using ::testing::ElementsAre;
using ::testing::ElementsAreArray;
using ::testing::IsEmpty;

// Runs the one on rank 0 and the other on rank 1.
void RunBoth(const std::function<void(Collective&)>& first,
             const std::function<void(Collective&)>& second) {
  const std::vector<std::shared_ptr<SharedRanks>> ends = MakeInProcessRanks(2);
  std::thread follower([&] { second(*ends[1]); });
  first(*ends[0]);
  follower.join();
}

std::vector<int32_t> Counted(int count, int first = 0) {
  std::vector<int32_t> numbers(static_cast<size_t>(count));
  std::iota(numbers.begin(), numbers.end(), first);
  return numbers;
}

TEST(AnnouncedCall, ArrivesAsItWasSent) {
  const std::vector<int32_t> tokens = {7, 8, 9}, seq = {0, 0, 1}, pos = {4, 5, 0};
  const std::vector<int32_t> slots = {20, 21, 64}, rows = {1, 2}, table_a = {0, 3}, table_b = {2};
  const std::vector<BatchSequence> sequences = {
      {.first_token = 0, .count = 2, .length = 6, .block_table = table_a},
      {.first_token = 2, .count = 1, .length = 1, .block_table = table_b}};
  const Batch batch = {.token_seq = seq,
                       .token_pos = pos,
                       .token_slot = slots,
                       .out_rows = rows,
                       .sequences = sequences,
                       .block_positions = 32};
  const std::vector<KvBlockChange> changes = {{.from = -1, .block = 2, .positions = 32},
                                              {.from = 0, .block = 3, .positions = 5}};
  RunBoth(
      [&](Collective& transport) {
        AnnouncedCall call;
        EXPECT_TRUE(call.Send(transport, {.t = 3, .r = 2, .s = 7, .sequences = 2}, tokens, batch,
                              changes, /*is_recorded=*/true)
                        .ok());
      },
      [&](Collective& transport) {
        AnnouncedCall call;
        const absl::StatusOr<bool> is_call = call.Receive(transport);
        ASSERT_TRUE(is_call.ok()) << is_call.status();
        EXPECT_TRUE(*is_call);
        EXPECT_TRUE(call.is_recorded());
        EXPECT_EQ(call.symbols().t, 3);
        EXPECT_EQ(call.symbols().r, 2);
        EXPECT_EQ(call.symbols().s, 7);
        EXPECT_EQ(call.symbols().sequences, 2);
        EXPECT_THAT(call.tokens(), ElementsAre(7, 8, 9));
        EXPECT_THAT(call.batch().token_seq, ElementsAre(0, 0, 1));
        EXPECT_THAT(call.batch().token_pos, ElementsAre(4, 5, 0));
        EXPECT_THAT(call.batch().token_slot, ElementsAre(20, 21, 64));
        EXPECT_THAT(call.batch().out_rows, ElementsAre(1, 2));
        EXPECT_EQ(call.batch().block_positions, 32);
        ASSERT_EQ(call.batch().sequences.size(), 2u);
        EXPECT_EQ(call.batch().sequences[0].length, 6);
        EXPECT_THAT(call.batch().sequences[0].block_table, ElementsAre(0, 3));
        EXPECT_EQ(call.batch().sequences[1].first_token, 2);
        EXPECT_EQ(call.batch().sequences[1].count, 1);
        EXPECT_THAT(call.batch().sequences[1].block_table, ElementsAre(2));
        ASSERT_EQ(call.changes().size(), 2u);
        EXPECT_EQ(call.changes()[0].from, -1);
        EXPECT_EQ(call.changes()[1].from, 0);
        EXPECT_EQ(call.changes()[1].block, 3);
        EXPECT_EQ(call.changes()[1].positions, 5);
      });
}

// One object for all calls: a long one does not leave anything behind for the next, whichever of
// the two messages it needs.
TEST(AnnouncedCall, CallsOfAllSizesFollowEachOther) {
  const std::vector<int> sizes = {1, 500, 1, 9, 10, 11, 12, 13, 14, 15, 3};
  RunBoth(
      [&](Collective& transport) {
        AnnouncedCall call;
        for (int size : sizes) {
          const std::vector<int32_t> all = Counted(size, size);
          const std::vector<BatchSequence> sequences = {
              {.first_token = 0, .count = size, .length = size, .block_table = all}};
          const Batch batch = {.token_seq = all,
                               .token_pos = all,
                               .token_slot = all,
                               .out_rows = {},
                               .sequences = sequences,
                               .block_positions = size};
          EXPECT_TRUE(call.Send(transport, {.t = size, .r = 1, .s = size}, all, batch, {}).ok());
        }
        EXPECT_TRUE(call.SendEnd(transport).ok());
      },
      [&](Collective& transport) {
        AnnouncedCall call;
        for (int size : sizes) {
          const absl::StatusOr<bool> is_call = call.Receive(transport);
          ASSERT_TRUE(is_call.ok() && *is_call);
          const std::vector<int32_t> all = Counted(size, size);
          EXPECT_THAT(call.tokens(), ElementsAreArray(all));
          EXPECT_THAT(call.batch().token_slot, ElementsAreArray(all));
          EXPECT_THAT(call.batch().out_rows, IsEmpty());
          EXPECT_THAT(call.batch().sequences[0].block_table, ElementsAreArray(all));
          EXPECT_THAT(call.changes(), IsEmpty());
        }
        const absl::StatusOr<bool> is_call = call.Receive(transport);
        ASSERT_TRUE(is_call.ok()) << is_call.status();
        EXPECT_FALSE(*is_call);
      });
}

TEST(AnnouncedCall, AnAbortReachesAFollowerThatWaits) {
  RunBoth([](Collective& transport) { transport.Abort(absl::DataLossError("the file is gone")); },
          [](Collective& transport) {
            EXPECT_EQ(AnnouncedCall().Receive(transport).status(),
                      absl::DataLossError("rank 0: the file is gone"));
          });
}

}  // namespace
}  // namespace infer
