// SPDX-License-Identifier: Apache-2.0
#include "runtime/host_memory.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <utility>

#include "runtime/zeroed_memory.h"

namespace infer {
namespace {

constexpr size_t kBytes = 64 << 20;

#if defined(__linux__)

TEST(HostMemory, AnotherProcessReadsWhatWasWritten) {
  const HostMemory memory = HostMemory::Create(kBytes);
  ASSERT_TRUE(memory);
  memory.data()[0] = std::byte{7};
  const pid_t parent = getpid();
  const pid_t child = fork();
  if (child == 0) {
    const HostMemory seen = HostMemory::Open(parent, memory.handle(), kBytes);
    _exit(seen && seen.data() != memory.data() && seen.data()[0] == std::byte{7} &&
                  seen.data()[kBytes - 1] == std::byte{0}
              ? 0
              : 1);
  }
  int status = -1;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
}

TEST(HostMemory, WhatIsNotThereCannotBeOpened) {
  EXPECT_FALSE(HostMemory::Open(getpid(), 99999, kBytes));
}

TEST(HostMemory, TakesThePlaceOfOtherPages) {
  ZeroedMemory pages = ZeroedMemory::Create(2 * kBytes).value();
  {
    const HostMemory memory = HostMemory::Create(kBytes);
    ASSERT_TRUE(memory.MapAt(pages.data()));
    memory.data()[5] = std::byte{7};
    pages.data()[kBytes] = std::byte{8};
    EXPECT_EQ(memory.data()[0], std::byte{0});
  }
  EXPECT_EQ(pages.data()[5], std::byte{7});
  EXPECT_FALSE(HostMemory().MapAt(pages.data()));
}

TEST(HostMemory, MovesAndThenCloses) {
  HostMemory memory = HostMemory::Create(kBytes);
  const int64_t handle = memory.handle();
  {
    const HostMemory moved = std::move(memory);
    EXPECT_TRUE(HostMemory::Open(getpid(), handle, kBytes));
  }
  EXPECT_FALSE(HostMemory::Open(getpid(), handle, kBytes));
}

#else

TEST(HostMemory, IsEmptyElsewhere) { EXPECT_FALSE(HostMemory::Create(kBytes)); }

#endif

}  // namespace
}  // namespace infer
