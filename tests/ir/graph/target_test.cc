// SPDX-License-Identifier: Apache-2.0
#include "ir/graph/target.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>
#include <string>

namespace infer {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::Not;

TEST(Targets, AreFoundByTheirNames) {
  for (const TargetRecord& record : kTargets) {
    EXPECT_EQ(Name(record.target), record.name);
    EXPECT_EQ(FindTarget(record.name), record.target);
    EXPECT_EQ(DeviceOf(record.target), record.device);
  }
  for (const DeviceRecord& record : kDevices) {
    EXPECT_EQ(Name(record.device), record.name);
    EXPECT_EQ(FindDevice(record.name), record.device);
    EXPECT_FALSE(TargetsOn(record.device).empty()) << record.name << " runs nothing";
  }
  EXPECT_EQ(FindTarget("fast"), std::nullopt);
  EXPECT_EQ(FindDevice("fast"), std::nullopt);
}

TEST(Targets, ThoseForTestsAreNamedByPoliciesAlone) {
  EXPECT_TRUE(RecordOf(Target::kTest).is_special);
  EXPECT_EQ(FindTarget("test"), Target::kTest);
  EXPECT_THAT(kUserTargets, Not(Contains(Target::kTest)));
  EXPECT_EQ(UnknownTarget("simt"),
            "unknown target 'simt' (did you mean simd?); known targets: scalar, simd, parallel, "
            "metal, cuda");
}

TEST(Targets, OneIsForCollectives) {
  EXPECT_EQ(std::ranges::count(kTargets, true, &TargetRecord::runs_only_collectives), 1);
  EXPECT_TRUE(RecordOf(Target::kRanks).runs_only_collectives);
}

TEST(Targets, AreListedFromTheFastest) {
  EXPECT_THAT(TargetsOn(Device::kCpu),
              ElementsAre(Target::kParallel, Target::kSimd, Target::kScalar));
  EXPECT_THAT(GpuBeforeCpu(), ElementsAre(Target::kMetal, Target::kCuda, Target::kParallel,
                                          Target::kSimd, Target::kScalar));
}

}  // namespace
}  // namespace infer
