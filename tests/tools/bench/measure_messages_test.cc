// SPDX-License-Identifier: Apache-2.0
#include "tools/bench/calibrate/measure_messages.h"

#include <gtest/gtest.h>

#include "ir/ops/message.h"
#include "ir/policy/machine_text.h"

namespace infer {
namespace {

class MeasureMessagesTest : public ::testing::TestWithParam<int> {};

TEST_P(MeasureMessagesTest, FindsARateForEveryForm) {
  MachineDescription machine;
  machine.name = "here";
  const absl::Status status = MeasureMessages({.common_ranks = GetParam()}, &machine);
  ASSERT_TRUE(status.ok()) << status;
  for (const std::string_view type : {"f32", "bf16", "int8x32", "bf16_stays"}) {
    const KernelRate* rate = machine.FindRate(Target::kRanks, "all_gather", type);
    ASSERT_NE(rate, nullptr) << type;
    EXPECT_EQ(rate->type, type);
    ASSERT_EQ(rate->rates.size(), 3u);
    for (const RowRate& row_rate : rate->rates) EXPECT_GT(row_rate.gop_s, 0);
  }
  const KernelRate* reduce = machine.FindRate(Target::kRanks, "all_reduce", "f32");
  ASSERT_NE(reduce, nullptr);
  EXPECT_EQ(reduce->rates.size(), 3u);
  // The passes read it from a file.
  const absl::StatusOr<MachineDescription> read = ParseMachine(PrintMachine(machine), "m");
  ASSERT_TRUE(read.ok()) << read.status();
  EXPECT_EQ(*read, machine);
}

INSTANTIATE_TEST_SUITE_P(CommonRanks, MeasureMessagesTest, ::testing::Values(0, 4));

}  // namespace
}  // namespace infer
