// SPDX-License-Identifier: Apache-2.0
#include "backends/ranks/ranks_backend.h"

#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <chrono>
#include <thread>
#include <vector>

#include "runtime/delayed_collective.h"
#include "runtime/in_process_ranks.h"

namespace infer {
namespace {

absl::StatusOr<std::unique_ptr<DeviceContext>> ContextIn(const RanksBackend& backend,
                                                         const SpaceMemory& memory) {
  const MemorySpan span = {MemorySpan::Use::kActivations, {memory.data(), memory.bytes()}};
  return backend.MakeContext({&span, 1});
}

// What a call has left in common memory may be read until all have begun the next one.
TEST(RanksBackend, CallsInCommonMemoryBeginTogether) {
  const std::vector<std::shared_ptr<SharedRanks>> ends = MakeInProcessRanks(2);
  std::atomic<bool> reads = true;
  std::array<std::thread, 2> threads;
  for (int rank : {0, 1}) {
    threads[rank] = std::thread([&, rank] {
      const RanksBackend backend(ends[rank]);
      const auto memory = ends[rank]->Allocate(SharedRanks::kCommonAlignment, 0).value();
      ASSERT_NE(memory, nullptr);
      const auto context = ContextIn(backend, *memory).value();
      ASSERT_NE(context, nullptr);
      if (rank == 1) {
        std::this_thread::sleep_for(std::chrono::milliseconds(20));
        reads = false;
      }
      EXPECT_EQ(context->Begin({}), absl::OkStatus());
      EXPECT_FALSE(reads);
    });
  }
  for (std::thread& thread : threads) thread.join();
}

TEST(RanksBackend, OtherCallsDoNotWait) {
  const auto memory = CpuSpace().Allocate(SharedRanks::kCommonAlignment).value();
  const std::vector<std::shared_ptr<SharedRanks>> ends = MakeInProcessRanks(2);
  EXPECT_EQ(ContextIn(RanksBackend(ends[0]), *memory).value(), nullptr);
  EXPECT_EQ(ContextIn(RanksBackend(MakeDelayed(ends[0], {})), *memory).value(), nullptr);
  EXPECT_EQ(ContextIn(RanksBackend(), *memory).value(), nullptr);
}

}  // namespace
}  // namespace infer
