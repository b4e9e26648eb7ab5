// SPDX-License-Identifier: Apache-2.0
#include "runtime/delayed_collective.h"

#include <gtest/gtest.h>

#include <array>
#include <chrono>
#include <memory>
#include <thread>
#include <vector>

#include "runtime/in_process_ranks.h"

namespace infer {
namespace {

using Clock = std::chrono::steady_clock;

TEST(DelayedCollective, TakesAsLongAsTheNetwork) {
  std::shared_ptr<Collective> one = MakeInProcessRanks(1)[0];
  const std::shared_ptr<Collective> slow = MakeDelayed(one, {.delay_us = 2000, .gbit_s = 1});
  std::array<std::byte, 125000> data = {};  // 1 Mbit: 1 ms
  const auto start = Clock::now();
  ASSERT_TRUE(slow->Broadcast(data).ok());
  EXPECT_GE(Clock::now() - start, std::chrono::microseconds(3000));
}

TEST(DelayedCollective, ReadsDelaysAndBandwidths) {
  const auto both = ParseNetworkDelay("0.1ms,10gbit");
  ASSERT_TRUE(both.ok()) << both.status();
  EXPECT_DOUBLE_EQ(both->delay_us, 100);
  EXPECT_DOUBLE_EQ(both->gbit_s, 10);
  for (const char* text : {"", "fast", "10", "-1us", "1gbit,", "xus"}) {
    EXPECT_FALSE(ParseNetworkDelay(text).ok()) << text;
  }
}

// What arrives is what was sent: only the time differs.
TEST(DelayedCollective, PassesEverythingOn) {
  const std::vector<std::shared_ptr<SharedRanks>> ends = MakeInProcessRanks(2);
  std::vector<std::thread> threads;
  for (int rank : {0, 1}) {
    threads.emplace_back([&, rank] {
      const std::shared_ptr<Collective> slow = MakeDelayed(ends[rank], {.delay_us = 10});
      EXPECT_EQ(slow->rank(), rank);
      EXPECT_EQ(slow->ranks(), 2);
      const int own = 10 + rank;
      std::array<int, 2> all = {}, parts = {rank, 10 * rank}, received = {};
      EXPECT_TRUE(slow->AllGather(std::as_bytes(std::span(&own, 1)),
                                  reinterpret_cast<std::byte*>(all.data()))
                      .ok());
      EXPECT_EQ(all, (std::array<int, 2>{10, 11}));
      EXPECT_TRUE(slow->AllToAll(reinterpret_cast<const std::byte*>(parts.data()),
                                 reinterpret_cast<std::byte*>(received.data()), sizeof(int))
                      .ok());
      EXPECT_EQ(received, (rank == 0 ? std::array<int, 2>{0, 1} : std::array<int, 2>{0, 10}));
    });
  }
  for (std::thread& thread : threads) thread.join();
  MakeDelayed(ends[0], {})->Abort(absl::DataLossError("gone"));
  int value = 0;
  EXPECT_EQ(MakeDelayed(ends[1], {})->Broadcast(std::as_writable_bytes(std::span(&value, 1))),
            absl::DataLossError("rank 0: gone"));
}

}  // namespace
}  // namespace infer
