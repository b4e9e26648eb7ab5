// SPDX-License-Identifier: Apache-2.0
#include "tools/bench/policy_race.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "tests/tools/e2e/tool_run.h"
#include "tools/cli/exit_code.h"

namespace infer {
namespace {

using ::testing::HasSubstr;

TEST(PolicyRace, HasMeansAndTheirErrors) {
  const auto standings =
      StandingsOf({.tokens = 1, .policies = {"a", "b"}, .rounds_ns = {{10, 12, 14}, {20, 20, 20}}});
  EXPECT_DOUBLE_EQ(standings[0].mean_ns, 12);
  EXPECT_DOUBLE_EQ(standings[0].se_ns, 2 / std::sqrt(3.0));
  EXPECT_DOUBLE_EQ(standings[0].ratio, 1);
  EXPECT_DOUBLE_EQ(standings[1].se_ns, 0);
  EXPECT_DOUBLE_EQ(standings[1].ratio, 20.0 / 12);
  EXPECT_TRUE(standings[0].IsWithinTwoErrors());
  EXPECT_FALSE(standings[1].IsWithinTwoErrors());
}

// Both get slower by the same from round to round: the errors of the means overlap, and still one
// is always behind.
TEST(PolicyRace, DriftsOfTheMachineCancelOut) {
  const auto standings = StandingsOf(
      {.tokens = 1, .policies = {"a", "b"}, .rounds_ns = {{100, 120, 140}, {102, 122.5, 142.5}}});
  EXPECT_GT(standings[1].se_ns, 10);
  EXPECT_NEAR(standings[1].behind_ns, 7.0 / 3, 1e-9);
  EXPECT_LT(standings[1].behind_se_ns, 0.2);
  EXPECT_FALSE(standings[1].IsWithinTwoErrors());
}

TEST(PolicyRace, WhatScattersMoreThanItIsBehindIsWithin) {
  const auto standings = StandingsOf(
      {.tokens = 1, .policies = {"a", "b"}, .rounds_ns = {{100, 100, 100}, {90, 100, 113}}});
  EXPECT_GT(standings[1].behind_ns, 0);
  EXPECT_TRUE(standings[1].IsWithinTwoErrors());
}

TEST(PolicyRace, TheTableHasALineForEach) {
  const std::string table =
      RaceTable({{.tokens = 4, .policies = {"a", "slow"}, .rounds_ns = {{1000, 1000}, {9000}}}});
  EXPECT_THAT(table, HasSubstr("| 4 | a | 2 | 1.00 | 0.00 | 4000000 | +0.00 % +- 0.00 | best |\n"));
  EXPECT_THAT(table, HasSubstr("| 4 | slow | first calls | 9.00 | - | 444444 | +800.00 % | no |"));
}

TEST(InferBenchPolicies, RunsThemInTurn) {
  const CapturedRun run = RunNamed("infer-bench", {"policies", "--policies", "scalar,reference",
                                                   "-p", "1,2", "--rounds", "2", "-q"});
  ASSERT_EQ(run.code, kExitOk) << run.err;
  EXPECT_THAT(run.out, HasSubstr("| 1 | scalar | "));
  EXPECT_THAT(run.out, HasSubstr("| 2 | reference | "));
  EXPECT_THAT(run.out, HasSubstr("| best |"));
  EXPECT_EQ(RunNamed("infer-bench", {"policies", "--policies", "simd"}).code, kExitUsage);
}

}  // namespace
}  // namespace infer
