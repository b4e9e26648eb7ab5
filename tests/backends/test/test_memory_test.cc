// SPDX-License-Identifier: Apache-2.0
#include "backends/test/test_memory.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

namespace infer {
namespace {

using ::testing::Each;

TEST(TestMemory, HoldsWhatWasUploadedWhereOnlyItLooks) {
  TestMemory memory;
  auto made = memory.Allocate(100).value();
  const std::vector<std::byte> sevens(40, std::byte{7});
  ASSERT_TRUE(memory.Upload(sevens, made->data() + 10).ok());
  const std::byte* real = memory.Find(made->data(), 100);
  ASSERT_NE(real, nullptr);
  EXPECT_NE(real, made->data());
  EXPECT_THAT(std::span(real, 10), Each(std::byte{0}));
  EXPECT_THAT(std::span(real + 10, 40), Each(std::byte{7}));
  memory.Copy(made->data() + 10, made->data() + 60, 40);
  EXPECT_THAT(std::span(real + 60, 40), Each(std::byte{7}));
  memory.Zero(made->data(), 60);
  EXPECT_THAT(std::span(real, 60), Each(std::byte{0}));
}

TEST(TestMemory, KnowsItsOwnAddressesAlone) {
  TestMemory memory;
  auto made = memory.Allocate(100).value();
  std::byte other{};
  EXPECT_EQ(memory.Find(&other, 1), nullptr);
  EXPECT_EQ(memory.Find(made->data() + 60, 41), nullptr);
  EXPECT_NE(memory.Find(made->data() + 60, 40), nullptr);
  EXPECT_EQ(memory.bytes(), 100u);
  std::byte* address = made->data();
  made.reset();
  EXPECT_EQ(memory.Find(address, 1), nullptr);
  EXPECT_EQ(memory.bytes(), 0u);
  EXPECT_EQ(memory.Upload(std::span(&other, 1), address).code(), absl::StatusCode::kInternal);
}

TEST(TestMemoryDeathTest, TheCpuCannotReadIt) {
  TestMemory memory;
  auto made = memory.Allocate(100).value();
  EXPECT_DEATH({ [[maybe_unused]] volatile std::byte read = *made->data(); }, "");
}

}  // namespace
}  // namespace infer
