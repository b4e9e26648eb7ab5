// SPDX-License-Identifier: Apache-2.0
#include "backends/metal/rope_table.h"

#include "backends/scalar/rope_angles.h"
#include "gtest/gtest.h"

namespace infer::metal {
namespace {

TEST(RopeTable, KeepsWhatItComputed) {
  const ops::RopeParams plain = {.base = 1e6};
  const std::span<const float> first = RopeTable(plain, 128);
  ASSERT_EQ(first.size(), 64u);
  for (int64_t pair = 0; pair < 64; ++pair) {
    EXPECT_EQ(first[pair], scalar::AnglePerPosition(plain, 128, pair));
  }
  EXPECT_EQ(RopeTable(plain, 128).data(), first.data());
}

TEST(RopeTable, TellsRotationsApart) {
  const ops::RopeParams plain = {.base = 1e6};
  const float* angles = RopeTable(plain, 128).data();
  EXPECT_NE(RopeTable({.base = 1e4}, 128).data(), angles);
  EXPECT_NE(RopeTable(plain, 64).data(), angles);
  const ops::RopeParams yarn = {
      .base = 1e6, .freq_scale = 0.25, .ext_factor = 1, .original_context = 32768};
  EXPECT_NE(RopeTable(yarn, 128).data(), angles);
  EXPECT_NE(RopeTable(yarn, 128)[63], RopeTable(plain, 128)[63]);
}

}  // namespace
}  // namespace infer::metal
