// SPDX-License-Identifier: Apache-2.0
#include "runtime/serving/runner_report.h"

#include <gtest/gtest.h>

#include <chrono>
#include <thread>

namespace infer {
namespace {

TEST(RunnerReport, KeepsTheLastSteps) {
  RunnerReport report;
  EXPECT_TRUE(report.steps(0).empty());
  for (size_t i = 0; i < RunnerReport::kSteps + 10; ++i) {
    report.AddStep({.decode_rows = static_cast<int32_t>(i)});
  }
  const std::vector<StepRecord> all = report.steps(0);
  ASSERT_EQ(all.size(), RunnerReport::kSteps);
  EXPECT_EQ(all.front().number, 10u);
  EXPECT_EQ(all.front().decode_rows, 10);
  EXPECT_EQ(report.steps(all.back().number).size(), 1u);
  EXPECT_TRUE(report.steps(all.back().number + 1).empty());
}

TEST(RunnerReport, AHeartbeatAgesUnlessIdle) {
  RunnerReport report;
  report.Beat();
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  EXPECT_GE(report.heartbeat_age_ms(), 15);
  report.SetIdle(true);
  EXPECT_EQ(report.heartbeat_age_ms(), 0);
  const auto busy = std::chrono::steady_clock::now();
  report.SetIdle(false);
  const double age_ms = report.heartbeat_age_ms();
  const std::chrono::duration<double, std::milli> since = std::chrono::steady_clock::now() - busy;
  EXPECT_LE(age_ms, since.count()) << "it counts from the end of idleness";
}

TEST(RunnerReport, RetryAfterGrowsWithTheQueue) {
  RunnerReport report;
  EXPECT_EQ(report.RetryAfterSeconds(100), 1);  // nothing is known yet
  for (int i = 0; i < 3; ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    report.RequestEnded();
  }
  EXPECT_GT(report.RetryAfterSeconds(400), 2);
  EXPECT_GT(report.RetryAfterSeconds(800), report.RetryAfterSeconds(1));
  EXPECT_LE(report.RetryAfterSeconds(1'000'000), 120);
}

TEST(RunnerReport, ShowsWhatWasPublishedLast) {
  RunnerReport report;
  RunnerState state;
  state.running = 3;
  report.Publish(&state);
  EXPECT_EQ(report.state().running, 3);
}

}  // namespace
}  // namespace infer
