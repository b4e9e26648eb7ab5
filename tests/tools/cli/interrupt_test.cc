// SPDX-License-Identifier: Apache-2.0
#include "tools/cli/interrupt.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include "tests/tools/cli/captured_run.h"
#include "tools/cli/exit_code.h"
#include "tools/cli/temp_registry.h"

namespace infer {
namespace {

TEST(Interrupt, FirstSignalOnlySetsTheFlag) {
  Interrupt interrupt;
  EXPECT_FALSE(interrupt.requested());
  EXPECT_TRUE(interrupt.Check().ok());
  raise(SIGINT);
  EXPECT_TRUE(interrupt.requested());
  EXPECT_TRUE(interrupt.stop_flag());
  EXPECT_EQ(ExitCodeFor(interrupt.Check()), 130);
}

TEST(Interrupt, TerminationHasItsOwnCode) {
  Interrupt interrupt;
  EXPECT_FALSE(interrupt.requested());  // forgets what an earlier one saw
  raise(SIGTERM);
  EXPECT_EQ(ExitCodeFor(interrupt.Check()), 143);
  EXPECT_TRUE(absl::IsCancelled(interrupt.Check()));
}

TEST(Interrupt, CtrlCCanBeTakenAndTheNextIsAFirstOneAgain) {
  Interrupt interrupt;
  EXPECT_FALSE(interrupt.TakeInterrupt());
  for (int i = 0; i < 3; ++i) {
    raise(SIGINT);
    EXPECT_TRUE(interrupt.TakeInterrupt());
    EXPECT_FALSE(interrupt.requested());
  }
  raise(SIGTERM);
  EXPECT_FALSE(interrupt.TakeInterrupt());
  EXPECT_TRUE(interrupt.requested());
}

TEST(Interrupt, GivesTheFormerHandlersBack) {
  static int seen = 0;
  auto former = signal(SIGINT, [](int) { ++seen; });
  {
    Interrupt interrupt;
  }
  raise(SIGINT);
  signal(SIGINT, former);
  EXPECT_EQ(seen, 1);
}

TEST(InterruptDeathTest, SecondSignalEndsAtOnceAndRemovesTemporaryFiles) {
  ::testing::FLAGS_gtest_death_test_style = "threadsafe";
  TempDir dir;
  std::string path = dir.Path("temp");
  EXPECT_EXIT(
      {
        Interrupt interrupt;
        if (interrupt.requested()) return;
        TempRegistration registration(path);
        WriteFile(path, "x");
        raise(SIGINT);
        raise(SIGTERM);
      },
      ::testing::ExitedWithCode(143), "");
  EXPECT_NE(access(path.c_str(), F_OK), 0);
}

TEST(InterruptDeathTest, FirstSignalEndsAToolThatDoesNotCheckForIt) {
  ::testing::FLAGS_gtest_death_test_style = "threadsafe";
  TempDir dir;
  std::string path = dir.Path("temp");
  EXPECT_EXIT(
      {
        Interrupt interrupt;
        TempRegistration registration(path);
        WriteFile(path, "x");
        raise(SIGINT);
      },
      ::testing::ExitedWithCode(130), "^error: interrupted by SIGINT\n$");
  EXPECT_NE(access(path.c_str(), F_OK), 0);
}

TEST(InterruptDeathTest, ASignalEndsWorkThatCannotCheckForIt) {
  ::testing::FLAGS_gtest_death_test_style = "threadsafe";
  EXPECT_EXIT(
      {
        Interrupt interrupt;
        if (interrupt.requested()) return;
        interrupt
            .DoUnchecked([] {
              raise(SIGTERM);
              return absl::OkStatus();
            })
            .IgnoreError();
      },
      ::testing::ExitedWithCode(143), "^error: interrupted by SIGTERM\n$");
}

TEST(Interrupt, AfterUncheckedWorkTheFirstSignalOnlySetsTheFlagAgain) {
  Interrupt interrupt;
  EXPECT_FALSE(interrupt.requested());
  EXPECT_TRUE(absl::IsInternal(
      interrupt.DoUnchecked([] { return absl::InternalError("as the work ended"); })));
  raise(SIGINT);
  EXPECT_TRUE(interrupt.requested());
}

TEST(Interrupt, WorkDoesNotBeginAfterASignal) {
  Interrupt interrupt;
  EXPECT_FALSE(interrupt.requested());
  raise(SIGINT);
  const absl::Status status = interrupt.DoUnchecked([] {
    ADD_FAILURE() << "has begun";
    return absl::OkStatus();
  });
  EXPECT_EQ(ExitCodeFor(status), 130);
}

TEST(TempRegistration, MoreThanThePlacesIsNoError) {
  std::vector<std::unique_ptr<TempRegistration>> many;
  for (int i = 0; i < 40; ++i) many.push_back(std::make_unique<TempRegistration>("/none"));
}

}  // namespace
}  // namespace infer
