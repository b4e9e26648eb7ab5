// SPDX-License-Identifier: Apache-2.0
#include "backends/ranks/ranks_backend.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <thread>
#include <vector>

#include "ir/graph/builder.h"
#include "ir/ops/ops.h"
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

// Messages are read by the threads of the cpu.
TEST(RanksBackend, ReadsMessagesWithAllThreads) {
  constexpr int64_t kRows = 4096, kColumns = 32;  // enough for several threads
  Graph graph;
  GraphBuilder builder(&graph);
  const Value x = graph.AddInput("x", ValueType::F32({kRows, kColumns}))->output();
  const Value all = ops::AllGather(builder, x, /*axis=*/1, /*ranks=*/2, "");
  const std::vector<std::shared_ptr<SharedRanks>> ends = MakeInProcessRanks(2);
  const auto run = [&](int rank) {
    RanksBackend backend(MakeDelayed(ends[rank], {}));
    int used = 0;
    backend.UseThreads([&used](int64_t count, const std::function<void(int64_t)>& body) {
      ++used;
      SerialFor(count, body);
    });
    std::vector<PreparedStep> steps(1);
    steps[0].node = all.node;
    steps[0].bound = backend.Bind(*all.node, "all_gather_f32_ranks").value();
    const std::unique_ptr<CompiledSegment> segment = backend.Prepare(std::move(steps), 0).value();
    std::vector<float> part(kRows * kColumns, 1.0f), whole(2 * part.size()), room(whole.size());
    Operand in, out;
    in.tensor = {
        .data = reinterpret_cast<std::byte*>(part.data()), .rank = 2, .dims = {kRows, kColumns}};
    out.tensor = {.data = reinterpret_cast<std::byte*>(whole.data()),
                  .rank = 2,
                  .dims = {kRows, 2 * kColumns}};
    const KernelArgs args = {.inputs = {&in, 1},
                             .outputs = {&out, 1},
                             .attrs = all.node->attrs(),
                             .workspace = reinterpret_cast<std::byte*>(room.data())};
    EXPECT_TRUE(segment->Run({}, {.args = {&args, 1}}).ok());
    EXPECT_EQ(used, 1);
    EXPECT_EQ(std::ranges::count(whole, 1.0f), std::ssize(whole));
  };
  std::thread other(run, 1);
  run(0);
  other.join();
}

}  // namespace
}  // namespace infer
