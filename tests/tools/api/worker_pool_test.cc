// SPDX-License-Identifier: Apache-2.0
#include "tools/api/worker_pool.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <thread>
#include <vector>

namespace infer {
namespace {

TEST(WorkerPool, CallsEachIndexOnce) {
  for (int threads : {1, 2, 5}) {
    std::vector<std::atomic<int>> calls(1000);
    MakeParallelFor(threads)(1000, [&](int64_t i) { ++calls[i]; });
    EXPECT_TRUE(std::ranges::all_of(calls, [](const auto& count) { return count == 1; }));
  }
  MakeParallelFor(2)(0, [](int64_t) { FAIL() << "there is nothing to do"; });
}

TEST(WorkerPool, OneThreadIsTheCallers) {
  const std::thread::id caller = std::this_thread::get_id();
  MakeParallelFor(1)(8, [&](int64_t) { EXPECT_EQ(std::this_thread::get_id(), caller); });
}

TEST(WorkerPool, NeverMoreAtOnceThanAllowed) {
  std::atomic<int> running = 0, most = 0;
  MakeParallelFor(2)(64, [&](int64_t) {
    int now = ++running;
    for (int seen = most; now > seen && !most.compare_exchange_weak(seen, now);) {
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
    --running;
  });
  EXPECT_LE(most, 2);
}

}  // namespace
}  // namespace infer
