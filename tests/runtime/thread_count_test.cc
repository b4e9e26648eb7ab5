// SPDX-License-Identifier: Apache-2.0
#include "runtime/thread_count.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "ir/base/strings.h"

namespace infer {
namespace {

// A machine's files under a folder of their own.
class ThreadCountTest : public ::testing::Test {
 protected:
  ThreadCountTest()
      : root_(StrCat(::testing::TempDir(), "/thread_count_", getpid())) {  // tests run side by side
    std::filesystem::remove_all(root_);
    std::filesystem::create_directories(root_);
  }
  ~ThreadCountTest() override { std::filesystem::remove_all(root_); }
  void Write(const std::string& path, const std::string& text) {
    std::filesystem::create_directories(std::filesystem::path(root_ + path).parent_path());
    std::ofstream(root_ + path) << text << "\n";
  }
  ThreadLimits Read() const { return ReadThreadLimits(root_); }

  std::string root_;
};

TEST_F(ThreadCountTest, WithoutLimitsItIsTheAffinity) {
  ThreadLimits limits = Read();
  EXPECT_EQ(limits.Count(), limits.affinity);
  EXPECT_FALSE(limits.quota);
}

TEST_F(ThreadCountTest, ReadsTheQuotaOfVersion2) {
  Write("/proc/self/cgroup", "0::/a/b");
  Write("/sys/fs/cgroup/a/b/cpu.max", "250000 100000");
  EXPECT_EQ(Read().quota, 2.5);
}

TEST_F(ThreadCountTest, ParentsBindToo) {
  Write("/proc/self/cgroup", "0::/a/b");
  Write("/sys/fs/cgroup/a/b/cpu.max", "max 100000");
  Write("/sys/fs/cgroup/a/cpu.max", "150000 100000");
  EXPECT_EQ(Read().quota, 1.5);
}

TEST_F(ThreadCountTest, InAContainerTheRootIsTheGroup) {
  Write("/proc/self/cgroup", "0::/../../outside");
  Write("/sys/fs/cgroup/cpu.max", "300000 100000");
  EXPECT_EQ(Read().quota, 3.0);
}

TEST_F(ThreadCountTest, NoLimitIsNoQuota) {
  Write("/proc/self/cgroup", "0::/");
  Write("/sys/fs/cgroup/cpu.max", "max 100000");
  EXPECT_FALSE(Read().quota);
}

TEST_F(ThreadCountTest, ReadsTheQuotaOfVersion1) {
  Write("/proc/self/cgroup", "5:memory:/x\n4:cpu,cpuacct:/x\n0::/");
  Write("/sys/fs/cgroup/cpu,cpuacct/x/cpu.cfs_quota_us", "50000");
  Write("/sys/fs/cgroup/cpu,cpuacct/x/cpu.cfs_period_us", "100000");
  EXPECT_EQ(Read().quota, 0.5);
}

TEST_F(ThreadCountTest, Version1HasNoLimitAtMinusOne) {
  Write("/proc/self/cgroup", "4:cpu:/");
  Write("/sys/fs/cgroup/cpu/cpu.cfs_quota_us", "-1");
  Write("/sys/fs/cgroup/cpu/cpu.cfs_period_us", "100000");
  EXPECT_FALSE(Read().quota);
}

TEST_F(ThreadCountTest, DamagedFilesAreNoLimit) {
  Write("/proc/self/cgroup", "nonsense\n0:\n:::\n0::/");
  Write("/sys/fs/cgroup/cpu.max", "many some");
  EXPECT_FALSE(Read().quota);
}

TEST_F(ThreadCountTest, CountsTheFastestClassOnly) {
  const int cpus = Read().affinity;
  if (cpus < 2) GTEST_SKIP() << "one CPU has one class";
  for (int cpu = 0; cpu < 1024; ++cpu) {
    Write("/sys/devices/system/cpu/cpu" + std::to_string(cpu) + "/cpu_capacity",
          cpu % 2 == 0 ? "1024" : "446");
  }
  EXPECT_LT(Read().fast_cores.value_or(cpus), cpus);
}

TEST(ThreadLimits, TheQuotaIsRoundedDownButNeverToNothing) {
  EXPECT_EQ((ThreadLimits{8, std::nullopt, 2.9}).Count(), 2);
  EXPECT_EQ((ThreadLimits{8, std::nullopt, 0.5}).Count(), 1);
  EXPECT_EQ((ThreadLimits{8, 4, 6.0}).Count(), 4);
  EXPECT_EQ((ThreadLimits{2, std::nullopt, 6.0}).Count(), 2);
}

TEST(ThreadLimits, SaysWhereTheNumberComesFrom) {
  EXPECT_EQ((ThreadLimits{8, std::nullopt, 2.5}).Derivation(),
            "2 = min(affinity 8, cgroup quota 2.5)");
  EXPECT_EQ((ThreadLimits{8, 4, std::nullopt}).Derivation(), "4 = min(affinity 8, fast cores 4)");
}

}  // namespace
}  // namespace infer
