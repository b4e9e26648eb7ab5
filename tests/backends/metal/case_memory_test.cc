// SPDX-License-Identifier: Apache-2.0
#include "tests/backends/metal/case_memory.h"

#include <unistd.h>

#include "gtest/gtest.h"
#include "tests/metal_emulation/runtime/poison.h"

namespace infer::metal {
namespace {

float ReadAt(const std::byte* address) { return *reinterpret_cast<const volatile float*>(address); }

TEST(GuardedBytes, LieWhereTheyAreWanted) {
  for (size_t size : {0, 4, 100, 4096, 5000}) {
    for (size_t offset : {0, 8}) {
      const GuardedBytes bytes(size, std::byte{7}, offset);
      EXPECT_EQ(reinterpret_cast<uintptr_t>(bytes.data()) % 16, offset);
      EXPECT_EQ(bytes.bytes().size(), size);
      for (std::byte byte : bytes.bytes()) ASSERT_EQ(byte, std::byte{7});
    }
  }
}

TEST(GuardedBytesDeathTest, NobodyReadsThePagesAround) {
  const GuardedBytes bytes(100, std::byte{0});
  const auto page = static_cast<size_t>(sysconf(_SC_PAGESIZE));
  EXPECT_DEATH(ReadAt(bytes.data() + 112), "");
  EXPECT_DEATH(ReadAt(bytes.data() - page), "");
  EXPECT_EQ(ReadAt(bytes.data() + 96), 0.0f);
}

TEST(GuardedBytesDeathTest, AddressSanitizerSeesTheFirstFloatTooMany) {
  if (!emulation::kHasAddressSanitizer) GTEST_SKIP() << "without AddressSanitizer";
  const GuardedBytes bytes(100, std::byte{0}, 8);
  EXPECT_DEATH(ReadAt(bytes.data() + 100), "AddressSanitizer");
  EXPECT_DEATH(ReadAt(bytes.data() - 4), "AddressSanitizer");
}

}  // namespace
}  // namespace infer::metal
