// SPDX-License-Identifier: Apache-2.0
#include "tools/api/machine_memory.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

namespace infer {
namespace {

// A machine's files under a folder of their own.
class MachineMemoryTest : public ::testing::Test {
 protected:
  MachineMemoryTest() {
    std::string pattern = ::testing::TempDir() + "/machine_memory_XXXXXX";
    root_ = mkdtemp(pattern.data());
  }
  ~MachineMemoryTest() override {
    std::error_code ignored;
    std::filesystem::remove_all(root_, ignored);
  }
  void Write(const std::string& path, const std::string& text) {
    std::filesystem::create_directories(std::filesystem::path(root_ + path).parent_path());
    std::ofstream(root_ + path) << text << "\n";
  }
  MachineMemory Read() const { return ReadMachineMemory(root_); }

  std::string root_;
};

TEST_F(MachineMemoryTest, ReadsTotalAndAvailable) {
  Write("/proc/meminfo", "MemTotal:  2048 kB\nMemFree:  1 kB\nMemAvailable:  1024 kB");
  EXPECT_EQ(Read().total_bytes, 2048u << 10);
  EXPECT_EQ(Read().available_bytes, 1024u << 10);
  EXPECT_FALSE(Read().limit_bytes);
}

TEST_F(MachineMemoryTest, TheSmallestLimitOnTheWayUpBinds) {
  Write("/proc/self/cgroup", "0::/a/b");
  Write("/sys/fs/cgroup/a/b/memory.max", "max");
  EXPECT_FALSE(Read().limit_bytes);
  Write("/sys/fs/cgroup/memory.max", "900");
  Write("/sys/fs/cgroup/a/memory.max", "700");
  EXPECT_EQ(Read().limit_bytes, 700u);
}

TEST_F(MachineMemoryTest, ReadsVersion1AndItsWayToSayNoLimit) {
  Write("/proc/self/cgroup", "4:memory:/g\n3:cpu:/g");
  Write("/sys/fs/cgroup/memory/memory.limit_in_bytes", "9223372036854771712");
  EXPECT_FALSE(Read().limit_bytes);
  Write("/sys/fs/cgroup/memory/g/memory.limit_in_bytes", "4096");
  EXPECT_EQ(Read().limit_bytes, 4096u);
}

TEST_F(MachineMemoryTest, ReadsWhoGetsHugePages) {
  EXPECT_EQ(Read().huge_pages, "");
  Write("/sys/kernel/mm/transparent_hugepage/enabled", "always [madvise] never");
  Write("/sys/kernel/mm/transparent_hugepage/hpage_pmd_size", "2097152");
  EXPECT_EQ(Read().huge_pages, "madvise");
  EXPECT_EQ(Read().huge_page_bytes, 2u << 20);
  Write("/sys/kernel/mm/transparent_hugepage/enabled", "] nonsense [");
  EXPECT_EQ(Read().huge_pages, "");
}

TEST_F(MachineMemoryTest, AMachineThatSaysNothingIsNoError) {
  Write("/proc/self/cgroup", "nonsense");
  Write("/proc/meminfo", "MemTotal: much kB");
  EXPECT_FALSE(Read().available_bytes);
  EXPECT_FALSE(Read().limit_bytes);
}

TEST(MachineMemory, KnowsThisMachine) {
  EXPECT_GT(ReadMachineMemory().total_bytes.value_or(0), 0u);
}

}  // namespace
}  // namespace infer
