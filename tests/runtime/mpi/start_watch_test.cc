// SPDX-License-Identifier: Apache-2.0
#include "runtime/mpi/start_watch.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <string>

#include "tests/support/hang_limit.h"

namespace infer {
namespace {

using ::testing::EndsWith;
using ::testing::StartsWith;

constexpr int kNoPid = 0x7ffffff0;  // more than any system has

class StartWatchTest : public ::testing::Test {
 protected:
  StartWatchTest() : folder_(::testing::TempDir() + "/start_watch_" + std::to_string(getpid())) {
    std::filesystem::create_directory(folder_);
  }
  ~StartWatchTest() override { std::filesystem::remove_all(folder_); }

  void WritePid(int rank, int64_t pid) const {
    std::ofstream(folder_ + "/infer-rank-" + std::to_string(rank)) << pid;
  }

  // Returns what a rank of three says that is asked to end while it waits.
  struct Said {
    std::string error;
    bool report = false;
  };
  Said AskedToEnd(int rank) const {
    const std::atomic<bool> stop = true;
    std::atomic<bool> over = false;
    Said said;
    const StartWatch watch({.rank = rank,
                            .ranks = 3,
                            .folder = folder_,
                            .stop = &stop,
                            .end = [&](const absl::Status& error, bool report) {
                              said = {std::string(error.message()), report};
                              over = true;
                            }});
    EXPECT_TRUE(WaitUntil([&] { return over.load(); }));
    return said;
  }

  std::string folder_;
};

TEST_F(StartWatchTest, NamesTheRankThatIsGone) {
  WritePid(1, kNoPid);
  WritePid(2, getpid());
  const Said said = AskedToEnd(0);
  EXPECT_THAT(said.error, StartsWith("rank 1 (host "));
  EXPECT_THAT(said.error, EndsWith(") ended while the ranks were starting"));
  EXPECT_TRUE(said.report);
  EXPECT_FALSE(AskedToEnd(2).report);
}

TEST_F(StartWatchTest, TheNextRankReportsTheDeathOfTheFirst) {
  WritePid(2, getpid());
  EXPECT_TRUE(AskedToEnd(1).report);
  EXPECT_THAT(AskedToEnd(1).error, StartsWith("rank 0 (host "));
}

TEST_F(StartWatchTest, AnInterruptedStartIsReportedOnce) {
  for (int rank : {0, 1, 2}) WritePid(rank, getpid());
  for (int rank : {0, 1, 2}) {
    const Said said = AskedToEnd(rank);
    EXPECT_THAT(said.error, EndsWith("was asked to end while the ranks were starting"));
    EXPECT_EQ(said.report, rank == 0);
  }
}

TEST_F(StartWatchTest, SaysNothingWhenTheStartSucceeds) {
  const std::atomic<bool> stop = false;
  const StartWatch watch(
      {.rank = 0, .ranks = 3, .folder = folder_, .stop = &stop, .end = [](const auto&, bool) {
         ADD_FAILURE();
       }});
  std::this_thread::sleep_for(std::chrono::milliseconds(100));
}

}  // namespace
}  // namespace infer
