// SPDX-License-Identifier: Apache-2.0
#include "tools/bench/calibrate/measure_ranks.h"

#include <gtest/gtest.h>

#include <thread>
#include <vector>

#include "runtime/delayed_collective.h"
#include "runtime/in_process_ranks.h"

namespace infer {
namespace {

// The delay is far above what threads of a busy machine take to meet, and bounds what is measured
// from below.
TEST(MeasureRanks, FindsDelayAndBandwidth) {
  const NetworkDelay network = {.delay_us = 2000, .gbit_s = 0.8};  // 0.1 GB/s
  const std::vector<std::shared_ptr<SharedRanks>> ends = MakeInProcessRanks(3);
  MachineDescription machine;
  std::vector<std::thread> others;
  for (int rank : {1, 2}) {
    others.emplace_back([&, rank] {
      MachineDescription unused;
      const std::shared_ptr<Collective> slow = MakeDelayed(ends[rank], network);
      EXPECT_TRUE(MeasureRanks({.transport = slow.get()}, &unused).ok());
      EXPECT_TRUE(unused.targets.empty());
    });
  }
  const std::shared_ptr<Collective> slow = MakeDelayed(ends[0], network);
  EXPECT_TRUE(MeasureRanks({.transport = slow.get()}, &machine).ok());
  for (std::thread& thread : others) thread.join();
  const TargetCost* cost = machine.FindCost(Target::kRanks);
  const KernelRate* gather = machine.FindRate(Target::kRanks, "all_gather", "");
  ASSERT_TRUE(cost != nullptr && gather != nullptr);
  EXPECT_GT(cost->step_ns, 1.9e6);
  EXPECT_LT(cost->step_ns, 20e6);
  EXPECT_GT(gather->gb_s, 0.01);
  EXPECT_LT(gather->gb_s, 0.11);
}

TEST(MeasureRanks, AnErrorOfARankIsReturned) {
  const std::vector<std::shared_ptr<SharedRanks>> ends = MakeInProcessRanks(2);
  ends[1]->Abort(absl::DataLossError("gone"));
  MachineDescription machine;
  EXPECT_EQ(MeasureRanks({.transport = ends[0].get()}, &machine),
            absl::DataLossError("rank 1: gone"));
}

TEST(AddRanks, AReductionTakesTwoExchanges) {
  MachineDescription machine;
  AddRanks({.step_ns = 1000}, 2, &machine);
  EXPECT_EQ(machine.FindCost(Target::kRanks)->step_ns, 1000);
  EXPECT_EQ(machine.FindRate(Target::kRanks, "all_gather", "")->fixed_ns, 0);
  EXPECT_EQ(machine.FindRate(Target::kRanks, "all_reduce", "")->fixed_ns, 1000);
  EXPECT_EQ(machine.FindRate(Target::kRanks, "all_reduce", "")->gb_s, 2);
}

}  // namespace
}  // namespace infer
