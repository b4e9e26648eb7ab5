// SPDX-License-Identifier: Apache-2.0
#include "runtime/zeroed_memory.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <utility>

namespace infer {
namespace {

TEST(ZeroedMemory, IsZeroAndWritable) {
  absl::StatusOr<ZeroedMemory> memory = ZeroedMemory::Create(100000);
  ASSERT_TRUE(memory.ok()) << memory.status();
  EXPECT_EQ(memory->bytes(), 100000u);
  for (uint64_t i = 0; i < memory->bytes(); ++i) ASSERT_EQ(memory->data()[i], std::byte{0});
  memory->data()[99999] = std::byte{1};
}

TEST(ZeroedMemory, MovesItsPages) {
  ZeroedMemory first = *ZeroedMemory::Create(4096);
  first.data()[5] = std::byte{7};
  ZeroedMemory second = std::move(first);
  EXPECT_EQ(second.data()[5], std::byte{7});
  first = ZeroedMemory();
  EXPECT_EQ(second.data()[5], std::byte{7});
}

TEST(ZeroedMemory, NoBytesIsNoMemory) {
  absl::StatusOr<ZeroedMemory> memory = ZeroedMemory::Create(0);
  ASSERT_TRUE(memory.ok());
  EXPECT_EQ(memory->data(), nullptr);
}

TEST(ZeroedMemory, MoreThanTheAddressSpaceIsAnErrorWithTheBytes) {
  const absl::Status status = ZeroedMemory::Create(uint64_t{1} << 60).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kResourceExhausted);
  EXPECT_THAT(std::string(status.message()), testing::HasSubstr("1152921504606846976 bytes"));
}

}  // namespace
}  // namespace infer
