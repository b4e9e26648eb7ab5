// SPDX-License-Identifier: Apache-2.0
#include "backends/metal/device_classes.h"

#include "gtest/gtest.h"

namespace infer::metal {
namespace {

TEST(DeviceClasses, ByTheNameThatMetalGives) {
  EXPECT_EQ(FindDeviceClass("Apple M1").name, "base");
  EXPECT_EQ(FindDeviceClass("Apple M4 Pro").name, "pro");
  EXPECT_EQ(FindDeviceClass("Apple M2 Max").name, "max");
  EXPECT_EQ(FindDeviceClass("Apple M3 Ultra").name, "ultra");
  EXPECT_EQ(FindDeviceClass("metal (CPU emulation, not a GPU)").name, "generic");
  EXPECT_EQ(FindDeviceClass("").name, "generic");
}

TEST(DeviceClasses, EveryRowIsUsable) {
  for (const DeviceClass& row : DeviceClasses()) {
    EXPECT_GE(row.matrix_rows, 1) << row.name;
    EXPECT_GE(row.tile_queries, 1) << row.name;
    EXPECT_GE(row.placement_rows, 1) << row.name;
    EXPECT_GT(row.command_buffer_flops, 0u) << row.name;
  }
}

TEST(DeviceClasses, TheDefaultThresholdIsEightRows) {
  const DeviceClass& generic = FindDeviceClass("");
  EXPECT_EQ(generic.matrix_rows, 8);
  EXPECT_EQ(generic.tile_queries, 8);
  EXPECT_EQ(generic.placement_rows, 8);
}

}  // namespace
}  // namespace infer::metal
