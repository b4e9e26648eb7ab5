// SPDX-License-Identifier: Apache-2.0
#include "runtime/thread_team.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <numeric>
#include <thread>

#include "tests/support/hang_limit.h"

namespace infer {
namespace {

using ::testing::Each;

std::unique_ptr<ThreadTeam> TeamOf(int threads, int64_t spin_us = -1) {
  ThreadTeamOptions options;
  options.adapts = false;
  options.threads = threads;
  options.spin_us = spin_us;
  absl::StatusOr<std::unique_ptr<ThreadTeam>> team = ThreadTeam::Create(options);
  EXPECT_TRUE(team.ok()) << team.status();
  return *std::move(team);
}

// A region over a lambda.
template <class Body>
absl::Status RunOn(ThreadTeam& team, Body& body) {
  return team.Run([](void* context, int ith) noexcept { (*static_cast<Body*>(context))(ith); },
                  &body);
}

void AwaitSleepers(const ThreadTeam& team, int count) {
  while (team.sleeping() != count) std::this_thread::yield();
}

class ThreadTeamTest : public ::testing::TestWithParam<int> {};

TEST_P(ThreadTeamTest, EveryThreadRunsARegionOnce) {
  auto team = TeamOf(GetParam());
  std::vector<int> calls(GetParam(), 0);
  auto body = [&](int ith) { ++calls[ith]; };
  for (int i = 0; i < 200; ++i) ASSERT_TRUE(RunOn(*team, body).ok());
  EXPECT_THAT(calls, Each(200));
}

TEST(ThreadTeamWaits, CountForWhoeverIsEarly) {
  auto team = TeamOf(2);
  std::atomic<bool> is_early = false;
  auto body = [&](int ith) {
    if (ith == 0) is_early = true;
    if (ith == 1) {
      while (!is_early) std::this_thread::yield();
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
    }
    team->Barrier();
  };
  // Once more if the first thread lost its CPU just before it waited.
  EXPECT_TRUE(WaitUntil([&] {
    is_early = false;
    const uint64_t before = team->WaitNs().at(0);
    EXPECT_TRUE(RunOn(*team, body).ok());
    return team->WaitNs().at(0) >= before + 10'000'000;
  }));
  EXPECT_EQ(team->WaitNs().size(), 2u);
}

TEST_P(ThreadTeamTest, TheBarrierSeparatesWhatIsWrittenFromWhatIsRead) {
  auto team = TeamOf(GetParam());
  const int n = GetParam();
  std::vector<int64_t> written(n, 0);
  std::vector<int64_t> errors(n, 0);
  auto body = [&](int ith) {
    for (int64_t round = 1; round <= 100; ++round) {
      written[ith] = round;
      team->Barrier();
      const int64_t sum = std::accumulate(written.begin(), written.end(), int64_t{0});
      errors[ith] += sum != round * n;
      team->Barrier();
    }
  };
  ASSERT_TRUE(RunOn(*team, body).ok());
  EXPECT_THAT(errors, Each(0));
}

TEST_P(ThreadTeamTest, SleepingWorkersAreWoken) {
  auto team = TeamOf(GetParam(), /*spin_us=*/0);
  std::vector<int> calls(GetParam(), 0);
  auto body = [&](int ith) { ++calls[ith]; };
  for (int i = 0; i < 50; ++i) {
    AwaitSleepers(*team, GetParam() - 1);
    ASSERT_TRUE(RunOn(*team, body).ok());
  }
  EXPECT_THAT(calls, Each(50));
}

TEST_P(ThreadTeamTest, PauseSendsWorkersToSleepAndResumeWakesThem) {
  auto team = TeamOf(GetParam(), /*spin_us=*/60'000'000);
  team->Pause();
  AwaitSleepers(*team, GetParam() - 1);
  team->Resume();
  AwaitSleepers(*team, 0);
  int calls = 0;
  auto body = [&](int ith) {
    if (ith == 0) ++calls;
  };
  ASSERT_TRUE(RunOn(*team, body).ok());
  EXPECT_EQ(calls, 1);
}

TEST_P(ThreadTeamTest, ARegionWakesAPausedTeam) {
  auto team = TeamOf(GetParam());
  team->Pause();
  AwaitSleepers(*team, GetParam() - 1);
  std::vector<int> calls(GetParam(), 0);
  auto body = [&](int ith) { ++calls[ith]; };
  ASSERT_TRUE(RunOn(*team, body).ok());
  EXPECT_THAT(calls, Each(1));
}

TEST_P(ThreadTeamTest, EndsWhetherItsWorkersSpinOrSleep) {
  for (int64_t spin_us : {0, 60'000'000}) {
    auto team = TeamOf(GetParam(), spin_us);
    if (spin_us == 0) AwaitSleepers(*team, GetParam() - 1);
  }
}

TEST_P(ThreadTeamTest, RacesOfPauseAndRegionsLoseNoWakeUp) {
  auto team = TeamOf(GetParam(), /*spin_us=*/1);
  std::vector<int> calls(GetParam(), 0);
  auto body = [&](int ith) { ++calls[ith]; };
  std::atomic<bool> done = false;
  std::thread other([&] {
    while (!done) {
      team->Pause();
      team->Resume();
    }
  });
  for (int i = 0; i < 2000; ++i) ASSERT_TRUE(RunOn(*team, body).ok());
  done = true;
  other.join();
  EXPECT_THAT(calls, Each(2000));
}

INSTANTIATE_TEST_SUITE_P(Threads, ThreadTeamTest, ::testing::Values(1, 2, 3, 8));

TEST(ThreadTeam, RefusesARegionInsideARegion) {
  auto team = TeamOf(2);
  auto inner_team = TeamOf(1);
  absl::StatusCode codes[2] = {};
  auto body = [&](int ith) {
    auto nothing = [](int) {};
    codes[ith] = RunOn(*inner_team, nothing).code();
  };
  ASSERT_TRUE(RunOn(*team, body).ok());
  EXPECT_THAT(codes, Each(absl::StatusCode::kFailedPrecondition));
}

TEST(ThreadTeam, ThreadsThatAreLeftOutSleepAtOnce) {
  int64_t waited = 0;
  ThreadTeamOptions options;
  options.threads = 4;
  options.spin_us = 60'000'000;
  options.delay_ns = [&] { return waited += 10'000'000'000; };
  const auto team = ThreadTeam::Create(options);
  ASSERT_TRUE(team.ok()) << team.status();
  // Fewer threads are faster by more than a busy machine adds, so that ever fewer are tried.
  const auto region = [](void* context, int ith) noexcept {
    const int active = static_cast<ThreadTeam*>(context)->active();
    if (ith == 0) std::this_thread::sleep_for(std::chrono::milliseconds(10 * active * active));
  };
  for (int i = 0; i < 1000 && (*team)->active() != 2; ++i) {
    ASSERT_TRUE((*team)->Run(region, team->get()).ok());
  }
  ASSERT_EQ((*team)->active(), 2);
  EXPECT_TRUE(WaitUntil([&] { return (*team)->sleeping() == 2; }));
}

TEST(ThreadTeam, RefusesNumbersThatMakeNoSense) {
  for (int threads : {0, -1, ThreadTeam::kMaxThreads + 1}) {
    ThreadTeamOptions options;
    options.adapts = false;
    options.threads = threads;
    EXPECT_EQ(ThreadTeam::Create(options).status().code(), absl::StatusCode::kInvalidArgument);
  }
}

TEST(ThreadTeam, PinnedWorkersRun) {
  ThreadTeamOptions options;
  options.adapts = false;
  options.threads = 3;
  options.pin = true;
  auto team = ThreadTeam::Create(options);
  ASSERT_TRUE(team.ok());
  std::vector<int> calls(3, 0);
  auto body = [&](int ith) { ++calls[ith]; };
  ASSERT_TRUE(RunOn(**team, body).ok());
  EXPECT_THAT(calls, Each(1));
}

}  // namespace
}  // namespace infer
