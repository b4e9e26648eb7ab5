// SPDX-License-Identifier: Apache-2.0
#include "runtime/zeroed_memory.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdio>
#include <fstream>
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
  EXPECT_THAT(std::string(status.message()), ::testing::HasSubstr("1152921504606846976 bytes"));
}

// The flags that the system keeps for the mapping that begins at `data`; empty if it does not say.
std::string FlagsOf(const std::byte* data) {
  std::ifstream maps("/proc/self/smaps");
  bool found = false;
  for (std::string line; std::getline(maps, line);) {
    unsigned long begin = 0, end = 0;
    if (std::sscanf(line.c_str(), "%lx-%lx", &begin, &end) == 2) {
      const auto address = reinterpret_cast<uintptr_t>(data);
      found = begin <= address && address < end;
    }
    if (found && line.starts_with("VmFlags:")) return line + " ";
  }
  return "";
}

TEST(ZeroedMemory, HugePagesAreRequestedWhereTheyAreAsked) {
  constexpr uint64_t kBytes = 8 << 20;
  const ZeroedMemory normal = *ZeroedMemory::Create(kBytes);
  const ZeroedMemory huge = *ZeroedMemory::Create(kBytes, ZeroedMemory::Pages::kHuge);
  if (!std::ifstream("/sys/kernel/mm/transparent_hugepage/enabled") ||
      FlagsOf(huge.data()).empty()) {
    GTEST_SKIP() << "the system has no huge pages or does not say";
  }
  EXPECT_THAT(FlagsOf(huge.data()), ::testing::HasSubstr(" hg "));
  EXPECT_THAT(FlagsOf(normal.data()), ::testing::Not(::testing::HasSubstr(" hg ")));
  PreferHugePages(normal.data(), normal.bytes());
  EXPECT_THAT(FlagsOf(normal.data()), ::testing::HasSubstr(" hg "));
  PreferHugePages(nullptr, 0);
}

}  // namespace
}  // namespace infer
