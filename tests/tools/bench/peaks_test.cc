// SPDX-License-Identifier: Apache-2.0
#include "tools/bench/peaks.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tools/bench/instruction_loops.h"

namespace infer {
namespace {

TEST(InstructionLoops, RunWhereTheCpuHasThem) {
  ASSERT_FALSE(InstructionLoops().empty());
  int ran = 0;
  for (const InstructionLoop& loop : InstructionLoops()) {
    EXPECT_GT(loop.ops_per_round, 0) << loop.name;
    if (!loop.runs_here()) continue;
    loop.run(3);
    ++ran;
  }
  EXPECT_GT(ran, 0);
}

TEST(Peaks, StopsWhenAsked) {
  const std::atomic<bool> stop = true;
  EXPECT_TRUE(absl::IsCancelled(MeasurePeaks(&stop).status()));
}

TEST(Peaks, ThreadsAreDoubledUpToTheMost) {
  EXPECT_THAT(ThreadCountsUpTo(1), ::testing::ElementsAre(1));
  EXPECT_THAT(ThreadCountsUpTo(2), ::testing::ElementsAre(1, 2));
  EXPECT_THAT(ThreadCountsUpTo(6), ::testing::ElementsAre(1, 2, 4, 6));
}

TEST(Peaks, ReadingIsThatOfSoManyThreads) {
  Peaks peaks;
  peaks.read_gb_s = 2;
  peaks.team_read_gb_s[4] = 5;
  EXPECT_EQ(peaks.ReadGbPerS(1), 2);
  EXPECT_EQ(peaks.ReadGbPerS(4), 5);
  EXPECT_EQ(peaks.ReadGbPerS(2), 0);
  EXPECT_EQ(ToText(peaks), "read 2.0 GB/s, on 4 threads 5.0 GB/s");
}

TEST(Peaks, TheFastestOfAKindCounts) {
  const Peaks peaks = {.read_gb_s = 1,
                       .instructions = {{"sdot", InstructionPeak::Kind::kInt8, 10},
                                        {"smmla", InstructionPeak::Kind::kInt8, 20},
                                        {"fmla", InstructionPeak::Kind::kF32, 5}}};
  EXPECT_EQ(peaks.For(DType::kQ4_K)->name, "smmla");
  EXPECT_EQ(peaks.For(DType::kF32)->name, "fmla");
  EXPECT_EQ(peaks.For(DType::kBF16)->name, "fmla");
  EXPECT_EQ(Peaks().For(DType::kF32), nullptr);
  EXPECT_EQ(ToText(peaks), "read 1.0 GB/s, sdot 10 GOP/s, smmla 20 GOP/s, fmla 5 GOP/s");
}

}  // namespace
}  // namespace infer
