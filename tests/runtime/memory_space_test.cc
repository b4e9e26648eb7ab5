// SPDX-License-Identifier: Apache-2.0
#include "runtime/memory_space.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>
#include <vector>

namespace infer {
namespace {

using ::testing::Each;

TEST(CpuSpace, MemoryIsZeroedCopiedAndFilled) {
  auto memory = CpuSpace().Allocate(64);
  ASSERT_TRUE(memory.ok()) << memory.status();
  std::byte* data = (*memory)->data();
  EXPECT_EQ((*memory)->bytes(), 64u);
  EXPECT_THAT(std::span(data, 64), Each(std::byte{0}));
  const std::vector<std::byte> ones(16, std::byte{1});
  ASSERT_TRUE(CpuSpace().Upload(ones, data + 16).ok());
  CpuSpace().Copy(data + 16, data + 40, 16);
  EXPECT_EQ(data[15], std::byte{0});
  EXPECT_THAT(std::span(data + 16, 16), Each(std::byte{1}));
  EXPECT_THAT(std::span(data + 40, 16), Each(std::byte{1}));
  CpuSpace().Zero(data + 16, 40);
  EXPECT_THAT(std::span(data, 64), Each(std::byte{0}));
}

TEST(CpuSpace, NothingTakesNoMemory) {
  auto memory = CpuSpace().Allocate(0);
  ASSERT_TRUE(memory.ok());
  EXPECT_EQ((*memory)->bytes(), 0u);
  EXPECT_TRUE(CpuSpace().Upload({}, (*memory)->data()).ok());
}

TEST(CpuSpace, TooMuchIsAnError) {
  const auto memory = CpuSpace().Allocate(std::numeric_limits<uint64_t>::max() / 2);
  EXPECT_EQ(memory.status().code(), absl::StatusCode::kResourceExhausted);
}

}  // namespace
}  // namespace infer
