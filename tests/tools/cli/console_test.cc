// SPDX-License-Identifier: Apache-2.0
#include "tools/cli/console.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <stdlib.h>
#include <unistd.h>

#include <set>
#include <sstream>
#include <thread>

#include "ir/base/strings.h"
#include "tests/support/hang_limit.h"
#include "tests/tools/cli/captured_run.h"
#include "tools/cli/exit_code.h"
#include "tools/cli/progress.h"

namespace infer {
namespace {

using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::Not;

std::string Logged(const ConsoleOptions& options) {
  CapturedFd captured;
  Console console(captured.fd());
  EXPECT_TRUE(console.Configure(options, false).ok());
  console.Info("info");
  console.Verbose("verbose");
  console.Debug("debug");
  console.Trace("trace");
  console.Warning("odd");
  console.Error(UsageError("bad\nthing"));
  return captured.Text();
}

TEST(Console, ShowsWhatTheLevelAllows) {
  EXPECT_EQ(Logged({.quiet = true}), "error: bad\\nthing\n");
  EXPECT_EQ(Logged({}), "info\nwarning: odd\nerror: bad\\nthing\n");
  EXPECT_EQ(Logged({.verbosity = 1}), "info\nverbose\nwarning: odd\nerror: bad\\nthing\n");
  EXPECT_EQ(Logged({.verbosity = 2}), "info\nverbose\ndebug\nwarning: odd\nerror: bad\\nthing\n");
  EXPECT_THAT(Logged({.verbosity = 3}), HasSubstr("debug\ntrace\n"));
}

TEST(Console, ShowsReportsAtEveryLevelAsTheyAre) {
  TempDir dir;
  CapturedFd captured;
  Console console(captured.fd());
  EXPECT_TRUE(
      console
          .Configure({.quiet = true, .color = ColorMode::kAlways, .log_file = dir.Path("log")},
                     false)
          .ok());
  console.Info("info");
  console.Report("{\"asked\": \"for\"}");
  EXPECT_EQ(captured.Text(), "{\"asked\": \"for\"}\n");
  EXPECT_EQ(ReadFile(dir.Path("log")), "info\n{\"asked\": \"for\"}\n");
}

TEST(Console, KnowsWhetherAnybodyReadsATrace) {
  TempDir dir;
  auto shows = [](const ConsoleOptions& options) {
    CapturedFd captured;
    Console console(captured.fd());
    EXPECT_TRUE(console.Configure(options, false).ok());
    return console.shows_trace();
  };
  EXPECT_FALSE(shows({.verbosity = 2}));
  EXPECT_TRUE(shows({.verbosity = 3}));
  EXPECT_FALSE(shows({.quiet = true, .verbosity = 3}));
  EXPECT_TRUE(shows({.quiet = true, .verbosity = 3, .log_file = dir.Path("log")}));
}

TEST(Console, ColoursOnlyWhereAsked) {
  EXPECT_THAT(Logged({.color = ColorMode::kAlways}), HasSubstr("\x1b[31merror: \x1b[0mbad"));
  EXPECT_THAT(Logged({.color = ColorMode::kNever}), Not(HasSubstr("\x1b")));
  EXPECT_THAT(Logged({.color = ColorMode::kAuto}), Not(HasSubstr("\x1b")));  // a file
}

TEST(Console, LogFileIsAppendedToEvenWhenQuiet) {
  TempDir dir;
  WriteFile(dir.Path("log"), "before\n");
  EXPECT_EQ(Logged({.quiet = true, .log_file = dir.Path("log")}), "error: bad\\nthing\n");
  EXPECT_EQ(ReadFile(dir.Path("log")), "before\ninfo\nwarning: odd\nerror: bad\\nthing\n");
}

TEST(Console, SaysWhichLogFileCannotBeOpened) {
  CapturedFd captured;
  Console console(captured.fd());
  absl::Status status = console.Configure({.log_file = "/none/log"}, false);
  EXPECT_THAT(std::string(status.message()), HasSubstr("/none/log: open of the log file failed"));
}

TEST(Console, LinesOfSeveralThreadsNeverMix) {
  CapturedFd captured;
  {
    Console console(captured.fd());
    std::vector<std::thread> threads;
    for (char letter : {'a', 'b', 'c'}) {
      threads.emplace_back([&console, letter] {
        for (int i = 0; i < 200; ++i) console.Info(std::string(100, letter));
      });
    }
    for (std::thread& thread : threads) thread.join();
  }
  std::istringstream lines(captured.Text());
  int count = 0;
  for (std::string line; std::getline(lines, line); ++count) {
    ASSERT_EQ(line, std::string(100, line.at(0)));
  }
  EXPECT_EQ(count, 600);
}

// A pseudo-terminal: what a person at the screen would see.
class Terminal {
 public:
  Terminal() : master_(posix_openpt(O_RDWR | O_NOCTTY | O_NONBLOCK)) {
    if (master_ >= 0 && grantpt(master_) == 0 && unlockpt(master_) == 0) {
      slave_ = open(ptsname(master_), O_RDWR | O_NOCTTY);
    }
  }
  ~Terminal() {
    close(slave_);
    close(master_);
  }
  int fd() const { return slave_; }
  std::string Text() {
    char text[8192];
    ssize_t count = read(master_, text, sizeof(text));
    return std::string(text, count > 0 ? static_cast<size_t>(count) : 0);
  }

 private:
  int master_;
  int slave_ = -1;
};

TEST(Console, TakesTheProgressLineAwayBeforeAnError) {
  Terminal terminal;
  if (terminal.fd() < 0) GTEST_SKIP() << "no pseudo-terminals here";
  Console console(terminal.fd());
  ASSERT_TRUE(console.Configure({}, /*no_color=*/true).ok());
  {
    Progress progress(&console, "work", 10, "steps");
    // Not drawn again before the interval between two redraws is over.
    EXPECT_TRUE(WaitUntil([&] {
      progress.Update(5);
      return terminal.Text().find("\r\x1b[Kwork [############............]  50% 5/10") !=
             std::string::npos;
    }));
    console.Error(UsageError("bad"));
    std::string after = terminal.Text();
    EXPECT_THAT(after, ::testing::StartsWith("\r\x1b[Kerror: bad\r\nwork ["));
  }
  EXPECT_THAT(terminal.Text(), EndsWith("\r\x1b[K"));
}

TEST(Console, NoColorHoldsOnATerminal) {
  Terminal terminal;
  if (terminal.fd() < 0) GTEST_SKIP() << "no pseudo-terminals here";
  Console console(terminal.fd());
  ASSERT_TRUE(console.Configure({}, /*no_color=*/true).ok());
  EXPECT_FALSE(console.color());
  ASSERT_TRUE(console.Configure({}, /*no_color=*/false).ok());
  EXPECT_TRUE(console.color());
}

}  // namespace
}  // namespace infer
