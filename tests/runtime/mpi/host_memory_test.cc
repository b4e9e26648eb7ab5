// SPDX-License-Identifier: Apache-2.0
#include "runtime/mpi/host_memory.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <utility>

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
