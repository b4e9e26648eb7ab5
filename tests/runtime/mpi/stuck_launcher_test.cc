// SPDX-License-Identifier: Apache-2.0
#include "runtime/mpi/stuck_launcher.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <thread>

namespace infer {
namespace {

#if defined(__linux__)

using std::chrono::milliseconds;
using Clock = std::chrono::steady_clock;

// Runs a launcher whose only rank ends at once, and returns its status.
template <class Body>
int RunLauncher(milliseconds patience, const Body& after_the_rank) {
  const pid_t launcher = fork();
  if (launcher == 0) {
    if (fork() == 0) {
      EndStuckLauncher(patience);
      _exit(0);
    }
    after_the_rank();
    _exit(7);
  }
  int status = 0;
  EXPECT_EQ(waitpid(launcher, &status, 0), launcher);
  return status;
}

TEST(StuckLauncher, IsAskedToEnd) {
  const Clock::time_point start = Clock::now();
  const int status = RunLauncher(milliseconds(100), [] { sleep(60); });
  EXPECT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == SIGTERM) << status;
  EXPECT_GE(Clock::now() - start, milliseconds(100));
}

TEST(StuckLauncher, IsEndedIfItDoesNotListen) {
  const int status = RunLauncher(milliseconds(50), [] {
    signal(SIGTERM, SIG_IGN);
    sleep(60);
  });
  EXPECT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL) << status;
}

TEST(StuckLauncher, OneThatEndsIsLeftAlone) {
  const int status = RunLauncher(milliseconds(10'000), [] { wait(nullptr); });
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 7) << status;
}

// A reader of the rank's output sees its end although the process that waits is there.
TEST(StuckLauncher, KeepsNoOutputOpen) {
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  const Clock::time_point start = Clock::now();
  std::thread launcher([&] {
    RunLauncher(milliseconds(1500), [&] {
      close(ends[1]);
      sleep(60);
    });
  });
  std::this_thread::sleep_for(milliseconds(100));
  close(ends[1]);
  char byte = 0;
  EXPECT_EQ(read(ends[0], &byte, 1), 0);
  EXPECT_LT(Clock::now() - start, milliseconds(1400));
  launcher.join();
  close(ends[0]);
}

#endif

}  // namespace
}  // namespace infer
