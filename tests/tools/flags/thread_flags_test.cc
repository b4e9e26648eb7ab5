// SPDX-License-Identifier: Apache-2.0
#include "tools/flags/thread_flags.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "ir/base/strings.h"
#include "tools/cli/exit_code.h"

namespace infer {
namespace {

using ::testing::HasSubstr;

absl::Status Parse(const std::vector<std::string>& args, ThreadRequest* threads) {
  Flags flags("test", "Test.");
  RegisterThreads(flags, threads);
  return flags.Parse(args, [](const std::string&) { return std::nullopt; }).status();
}

ThreadLimits Limits(int affinity) {
  ThreadLimits limits;
  limits.affinity = affinity;
  return limits;
}

TEST(ThreadFlags, AreTakenFromTheMachineWithoutAFlag) {
  ThreadRequest flags;
  ASSERT_TRUE(Parse({}, &flags).ok());
  const ThreadChoice choice = ChooseThreads(flags, Limits(6));
  EXPECT_EQ(choice.team.threads, 6);
  EXPECT_EQ(choice.derivation, "6 = min(affinity 6)");
  EXPECT_FALSE(choice.team.pin);
  EXPECT_EQ(choice.by, ThreadsBy::kTeam);
}

TEST(ThreadFlags, WhatWasGivenWinsAndIsSaid) {
  ThreadRequest flags;
  ASSERT_TRUE(Parse({"-t", "3", "--pin", "--threads-by", "tbb"}, &flags).ok());
  const ThreadChoice choice = ChooseThreads(flags, Limits(2));
  EXPECT_EQ(choice.team.threads, 3);
  EXPECT_EQ(choice.derivation, "3 as asked; by itself 2 = min(affinity 2)");
  EXPECT_TRUE(choice.team.pin);
  EXPECT_EQ(choice.by, ThreadsBy::kTbb);
}

TEST(ThreadFlags, RefusesNumbersThatNoTeamHas) {
  for (const char* text : {"-1", "513", "two"}) {
    ThreadRequest flags;
    EXPECT_EQ(ExitCodeFor(Parse({"-t", text}, &flags)), kExitUsage) << text;
  }
  ThreadRequest flags;
  EXPECT_THAT(std::string(Parse({"--threads-by", "openmp"}, &flags).message()), HasSubstr("team"));
}

}  // namespace
}  // namespace infer
