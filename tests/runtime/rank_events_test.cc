// SPDX-License-Identifier: Apache-2.0
#include "runtime/rank_events.h"

#include <gtest/gtest.h>

#include <thread>
#include <utility>
#include <vector>

#include "runtime/in_process_ranks.h"

namespace infer {
namespace {

constexpr int kSteps = 3;
constexpr uint64_t kHash = 7;

// Step i of thread j of a rank whose call starts at `start_ns`.
StepEvent EventOf(int64_t start_ns, int thread, int step) {
  const int64_t at = start_ns + 100 * step + 10 * thread;
  return {at, at + 5, at + 7, 1};
}

// Rank 0 has one thread and rank 1 two, with a clock of its own.
TEST(GatherEvents, MovesTheTimesOfOtherRanksToTheClockOfTheFirst) {
  const std::vector<std::shared_ptr<SharedRanks>> ends = MakeInProcessRanks(2);
  StepEvents all(kSteps, 3);
  std::thread other([&] {
    StepEvents own(kSteps, 2);
    for (int step = 0; step < kSteps; ++step) {
      for (int thread : {0, 1}) own.thread(thread)[step] = EventOf(777000, thread, step);
    }
    own.thread(1)[2] = {};  // the thread did not run it
    EXPECT_TRUE(GatherEvents(*ends[1], 2, kHash, {777000, 778000}, &own).value());
    EXPECT_EQ(own.thread(0)[1].start_ns, 777100);
  });
  for (int step = 0; step < kSteps; ++step) all.thread(0)[step] = EventOf(5000, 0, step);
  EXPECT_TRUE(GatherEvents(*ends[0], 1, kHash, {5000, 5206}, &all).value());
  other.join();
  for (int step = 0; step < kSteps; ++step) {
    EXPECT_EQ(all.thread(0)[step].start_ns, 5000 + 100 * step);
    EXPECT_EQ(all.thread(1)[step].start_ns, 5000 + 100 * step);
  }
  EXPECT_EQ(all.thread(2)[1].start_ns, 5110);
  EXPECT_EQ(all.thread(2)[1].end_ns, 5115);
  EXPECT_EQ(all.thread(2)[1].inner_wait_ns, 1);
  EXPECT_EQ(all.thread(2)[2].start_ns, 0);
  // Nothing ends after the call.
  EXPECT_EQ(all.thread(1)[2].end_ns, 5205);
  EXPECT_EQ(all.thread(1)[2].wait_end_ns, 5206);
}

TEST(GatherEvents, ReturnsTheErrorOfARank) {
  const std::vector<std::shared_ptr<SharedRanks>> ends = MakeInProcessRanks(2);
  ends[1]->Abort(absl::DataLossError("gone"));
  StepEvents events(kSteps, 1);
  EXPECT_EQ(GatherEvents(*ends[0], 1, kHash, {}, &events).status(),
            absl::DataLossError("rank 1: gone"));
}

TEST(GatherEvents, CollectsNothingOfOtherSteps) {
  for (const std::pair<int, uint64_t>& theirs : {std::pair(kSteps + 2, kHash),  //
                                                 std::pair(kSteps, kHash + 1)}) {
    const std::vector<std::shared_ptr<SharedRanks>> ends = MakeInProcessRanks(2);
    std::thread other([&] {
      StepEvents own(theirs.first, 1);
      own.thread(0)[0] = EventOf(777000, 0, 0);
      EXPECT_FALSE(GatherEvents(*ends[1], 1, theirs.second, {777000, 778000}, &own).value());
    });
    StepEvents all(kSteps, 2);
    EXPECT_FALSE(GatherEvents(*ends[0], 1, kHash, {5000, 5206}, &all).value());
    other.join();
    EXPECT_EQ(all.thread(1)[0].start_ns, 0);
  }
}

}  // namespace
}  // namespace infer
