// SPDX-License-Identifier: Apache-2.0
#include "tools/serve/metrics/process_stats.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <chrono>

namespace infer::metrics {
namespace {

TEST(ProcessStats, KnowsThisProcess) {
  const ProcessStats stats = ReadProcessStats();
  ASSERT_TRUE(stats.cpu_seconds && stats.start_seconds);
  const double now =
      std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch()).count();
  EXPECT_LE(*stats.start_seconds, now);
  EXPECT_GT(*stats.start_seconds, now - 600);
  if (!stats.resident_bytes) GTEST_SKIP() << "the system has no /proc/self/statm";
  EXPECT_GT(*stats.resident_bytes, 1 << 20);
  EXPECT_GE(*stats.virtual_bytes, *stats.resident_bytes);
}

TEST(ProcessStats, CountsOpenFiles) {
  const ProcessStats before = ReadProcessStats();
  if (!before.open_files) GTEST_SKIP() << "the system has no /proc/self/fd";
  const int fd = open("/dev/null", O_RDONLY);
  EXPECT_EQ(*ReadProcessStats().open_files, *before.open_files + 1);
  close(fd);
}

}  // namespace
}  // namespace infer::metrics
