// SPDX-License-Identifier: Apache-2.0
#include "tools/serve/metrics/process_stats.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <chrono>

#include "tests/support/hang_limit.h"

namespace infer::metrics {
namespace {

double SecondsSinceTheEpoch() {
  return std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch()).count();
}

// Before main, so that a test binary that runs for long has started shortly before, too.
const double kLoaded = SecondsSinceTheEpoch();

TEST(ProcessStats, KnowsThisProcess) {
  const ProcessStats stats = ReadProcessStats();
  ASSERT_TRUE(stats.cpu_seconds && stats.start_seconds);
  EXPECT_LE(*stats.start_seconds, SecondsSinceTheEpoch());
  const double to_load = std::chrono::duration<double>(kHangLimit).count();
  EXPECT_GT(*stats.start_seconds, kLoaded - to_load);
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
