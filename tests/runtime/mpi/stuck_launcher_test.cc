// SPDX-License-Identifier: Apache-2.0
#include "runtime/mpi/stuck_launcher.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/prctl.h>
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
int RunLauncher(milliseconds patience, const Body& after_the_rank, const char* name = "mpirun") {
  const pid_t launcher = fork();
  if (launcher == 0) {
    prctl(PR_SET_NAME, name);
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

TEST(StuckLauncher, OtherParentsAreLeftAlone) {
  const int status = RunLauncher(
      milliseconds(1),
      [] {
        wait(nullptr);
        usleep(200'000);
      },
      "slurmstepd");
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 7) << status;
}

// A reader of the rank's output sees its end although the process that waits is there.
TEST(StuckLauncher, KeepsNoOutputOpen) {
  int output[2], end[2];
  ASSERT_EQ(pipe(output), 0);
  ASSERT_EQ(pipe(end), 0);
  const Clock::time_point start = Clock::now();
  constexpr milliseconds kPatience{30'000};
  std::thread launcher([&] {
    RunLauncher(kPatience, [&] {
      close(output[1]);
      close(end[1]);
      char byte = 0;
      EXPECT_EQ(read(end[0], &byte, 1), 0);
    });
  });
  std::this_thread::sleep_for(milliseconds(100));
  close(output[1]);
  char byte = 0;
  EXPECT_EQ(read(output[0], &byte, 1), 0);
  EXPECT_LT(Clock::now() - start, kPatience);
  for (const int fd : {end[1], end[0], output[0]}) close(fd);
  launcher.join();
}

#endif

}  // namespace
}  // namespace infer
