// SPDX-License-Identifier: Apache-2.0
#include "runtime/mpi/stuck_launcher.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <thread>

#include "tests/support/hang_limit.h"

namespace infer {
namespace {

#if defined(__linux__)

using std::chrono::milliseconds;
using Clock = std::chrono::steady_clock;

// Runs a launcher whose only rank ends at once, and returns its status.
struct Launcher {
  const char* name = "mpirun";
  bool ignores_sigterm = false;
};
template <class Body>
int RunLauncher(milliseconds patience, const Body& after_the_rank, const Launcher& traits = {}) {
  const pid_t launcher = fork();
  if (launcher == 0) {
    prctl(PR_SET_NAME, traits.name);
    if (traits.ignores_sigterm) signal(SIGTERM, SIG_IGN);
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

[[noreturn]] void StayForEver() {
  while (true) pause();
}

TEST(StuckLauncher, IsAskedToEnd) {
  const Clock::time_point start = Clock::now();
  const int status = RunLauncher(milliseconds(100), StayForEver);
  EXPECT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == SIGTERM) << status;
  EXPECT_GE(Clock::now() - start, milliseconds(100));
}

TEST(StuckLauncher, IsEndedIfItDoesNotListen) {
  const int status = RunLauncher(milliseconds(50), StayForEver, {.ignores_sigterm = true});
  EXPECT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL) << status;
}

TEST(StuckLauncher, OneThatEndsIsLeftAlone) {
  const int status = RunLauncher(kHangLimit, [] { wait(nullptr); });
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 7) << status;
}

TEST(StuckLauncher, OtherParentsAreLeftAlone) {
  const int status = RunLauncher(milliseconds(1),
                                 [] {
                                   wait(nullptr);
                                   usleep(200'000);
                                 },
                                 {.name = "slurmstepd"});
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 7) << status;
}

// A reader of the rank's output sees its end although the process that waits is there.
TEST(StuckLauncher, KeepsNoOutputOpen) {
  int output[2], ready[2], end[2];
  ASSERT_EQ(pipe(output), 0);
  ASSERT_EQ(pipe(ready), 0);
  ASSERT_EQ(pipe(end), 0);
  std::atomic<bool> has_ended = false;
  std::thread launcher([&] {
    RunLauncher(kHangLimit, [&] {
      close(output[1]);
      close(end[1]);
      EXPECT_EQ(write(ready[1], "x", 1), 1);
      char byte = 0;
      EXPECT_EQ(read(end[0], &byte, 1), 0);
    });
    has_ended = true;
  });
  char byte = 0;
  EXPECT_EQ(read(ready[0], &byte, 1), 1);
  close(output[1]);
  EXPECT_EQ(read(output[0], &byte, 1), 0);
  EXPECT_FALSE(has_ended) << "the process that waits had the output open until then";
  for (const int fd : {end[1], end[0], output[0], ready[0], ready[1]}) close(fd);
  launcher.join();
}

#endif

}  // namespace
}  // namespace infer
