// SPDX-License-Identifier: Apache-2.0
#include "runtime/mpi/peer_watch.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cstring>
#include <functional>
#include <memory>

#include "tests/runtime/mpi/fake_mpi.h"
#include "tests/support/hang_limit.h"

namespace infer {
namespace {

using std::chrono::milliseconds;
using test::FakeMpi;
using ::testing::HasSubstr;
using ::testing::StartsWith;

constexpr milliseconds kBeat{2};
constexpr milliseconds kSilence{1000};  // of the test's clock
constexpr milliseconds kLongerThanSilence{1200};

RankHome HomeOn(const char* host, int64_t pid) {
  RankHome home = ThisHome();
  std::strcpy(home.host, host);
  home.pid = pid;
  return home;
}

// Ranks on hosts of their own, where only silence tells.
std::vector<RankHome> FarHomes(int ranks) {
  std::vector<RankHome> homes;
  for (int i = 0; i < ranks; ++i) {
    homes.push_back(HomeOn(("node" + std::to_string(i)).c_str(), 100 + i));
  }
  return homes;
}

class PeerWatchTest : public ::testing::Test {
 protected:
  // All ranks have one clock, which stands still but for what the test adds.
  PeerWatch::Times Times() {
    return {.beat = kBeat, .silence = kSilence, .now = [this] {
              ++looks_at_clock_;
              return std::chrono::steady_clock::time_point(milliseconds(now_ms_));
            }};
  }
  PeerWatch& Start(int rank, std::vector<RankHome> homes,
                   std::function<void()> on_failure = nullptr) {
    watches_[rank] = std::make_unique<PeerWatch>(mpi_.table(rank), &mutexes_[rank], rank,
                                                 std::move(homes), Times(), std::move(on_failure));
    return *watches_[rank];
  }
  // Waits until each of these ranks has looked for the others, and each watch knows what they have
  // said by now.
  void AwaitBeats(const std::vector<int>& ranks) {
    for (const int from : ranks) {
      for (int to = 0; to < 3; ++to) {
        if (from == to || watches_[to] == nullptr) continue;
        // The next note may have been begun before; the rank looks between two.
        const int enough = mpi_.sent_notes(from, to) + 2;
        EXPECT_TRUE(WaitUntil([&] { return mpi_.taken_notes(from, to) >= enough; }));
      }
    }
  }
  // From now on a rank is not heard; what it has said before has been taken.
  void Silence(int rank, const std::vector<int>& others) {
    mpi_.Silence(rank);
    AwaitBeats(others);
  }
  // Lets more than a silence pass, in steps that are no pause of the ranks that beat.
  void PassSilence(const std::vector<int>& ranks) {
    for (milliseconds passed{0}; passed < kLongerThanSilence; passed += kSilence * 2 / 5) {
      now_ms_ += (kSilence * 2 / 5).count();
      AwaitBeats(ranks);
    }
  }

  std::atomic<int64_t> now_ms_ = 3'600'000;
  std::atomic<int> looks_at_clock_ = 0;
  FakeMpi mpi_{3};
  std::mutex mutexes_[3];
  std::unique_ptr<PeerWatch> watches_[3];
};

TEST(IsSameHost, HostsOfOneNameDifferInTheirBoot) {
  const RankHome home = ThisHome();
#ifdef __linux__
  EXPECT_NE(home.boot[0], 0);
#endif
  EXPECT_TRUE(IsSameHost(home, ThisHome()));
  RankHome clone = home;
  clone.boot[0] ^= 1;
  EXPECT_FALSE(IsSameHost(home, clone));
}

TEST_F(PeerWatchTest, RanksThatBeatAreAlive) {
  for (int i : {0, 1, 2}) Start(i, FarHomes(3));
  watches_[2]->SetPlace("call 7");
  PassSilence({0, 1, 2});
  for (int i : {0, 1, 2}) {
    EXPECT_FALSE(watches_[i]->failed()) << watches_[i]->failure();
    EXPECT_TRUE(watches_[i]->IsAlive((i + 1) % 3));
  }
}

TEST_F(PeerWatchTest, ASilentRankIsReportedByTheFirstThatIsAlive) {
  for (int i : {0, 1, 2}) Start(i, FarHomes(3));
  watches_[0]->SetPlace("call 7 of 1 tokens");
  AwaitBeats({0, 1, 2});
  Silence(0, {1, 2});
  PassSilence({1, 2});
  for (int i : {1, 2}) {
    ASSERT_TRUE(WaitUntil([&] { return watches_[i]->failed(); }));
    EXPECT_THAT(std::string(watches_[i]->failure().message()),
                StartsWith("rank 0 (host node0, process 100) has not answered for "));
    EXPECT_THAT(watches_[i]->failure().message(), HasSubstr(" s in call 7 of 1 tokens"));
    EXPECT_FALSE(watches_[i]->IsAlive(0));
  }
  EXPECT_TRUE(watches_[1]->should_report());
  EXPECT_FALSE(watches_[2]->should_report());
  EXPECT_FALSE(watches_[0]->failed());  // it hears the others
}

TEST_F(PeerWatchTest, ARankOfThisHostThatEndedIsFoundAtOnce) {
  const pid_t child = fork();
  if (child == 0) _exit(0);
  waitpid(child, nullptr, 0);
  std::vector<RankHome> homes = {ThisHome(), ThisHome(), ThisHome()};
  homes[1].pid = child;
  PeerWatch& watch = Start(0, homes);
  ASSERT_TRUE(WaitUntil([&] { return watch.failed(); }));
  EXPECT_EQ(watch.failure().message(), watch.Describe(1) + " ended unexpectedly");
  EXPECT_TRUE(watch.should_report());
}

// The same number may belong to anybody there.
TEST_F(PeerWatchTest, ProcessesOfOtherHostsAreNotLookedFor) {
  const pid_t child = fork();
  if (child == 0) _exit(0);
  waitpid(child, nullptr, 0);
  std::vector<RankHome> homes = FarHomes(3);
  homes[1].pid = child;
  PeerWatch& watch = Start(0, homes);
  EXPECT_TRUE(WaitUntil([&] { return mpi_.sent_notes(0, 1) >= 5; }));
  EXPECT_FALSE(watch.failed()) << watch.failure();
}

TEST_F(PeerWatchTest, AnErrorReachesTheOthersWithItsRank) {
  for (int i : {0, 1, 2}) Start(i, FarHomes(3));
  watches_[1]->SendFailure(absl::DataLossError("the file is gone"));
  for (int i : {0, 2}) {
    ASSERT_TRUE(WaitUntil([&] { return watches_[i]->failed(); }));
    EXPECT_EQ(watches_[i]->failure().message(),
              "rank 1 (host node1, process 101): the file is gone");
    EXPECT_EQ(watches_[i]->should_report(), i == 0);
  }
}

TEST_F(PeerWatchTest, WaitsUntilALastNoteIsOnItsWay) {
  PeerWatch& watch = Start(0, FarHomes(2));
  // Once more if the machine paused for as long as a last note may take.
  EXPECT_TRUE(WaitUntil([&] {
    mpi_.HoldNotes(0, 3);
    watch.SendFailure(absl::DataLossError("gone"));
    return mpi_.held_looks(0) == 0;
  }));
}

TEST_F(PeerWatchTest, WithoutMpiNobodyIsMissed) {
  const pid_t child = fork();
  if (child == 0) {
    pause();
    _exit(0);
  }
  std::vector<RankHome> homes = {ThisHome(), ThisHome(), HomeOn("node2", 100)};
  homes[1].pid = child;
  PeerWatch& watch = Start(0, homes);
  watch.LeaveMpi();
  const int calls = mpi_.calls(0);
  now_ms_ += kLongerThanSilence.count();
  // It looks at the clock once for each look at the others.
  const int looks = looks_at_clock_;
  EXPECT_TRUE(WaitUntil([&] { return looks_at_clock_ >= looks + 3; }));
  EXPECT_TRUE(watch.IsAlive(1));
  EXPECT_TRUE(watch.IsAlive(2));
  kill(child, SIGKILL);
  waitpid(child, nullptr, 0);
  EXPECT_TRUE(WaitUntil([&] { return !watch.IsAlive(1); }));
  EXPECT_FALSE(watch.failed()) << "it may have said goodbye: " << watch.failure();
  EXPECT_EQ(mpi_.calls(0), calls);
}

TEST_F(PeerWatchTest, ARankThatSaidGoodbyeIsNotMissed) {
  for (int i : {0, 1}) Start(i, FarHomes(2));
  watches_[1]->SendEnd();
  ASSERT_TRUE(WaitUntil([&] { return !watches_[0]->IsAlive(1); }));
  Silence(1, {0});
  PassSilence({0});
  EXPECT_FALSE(watches_[0]->failed()) << watches_[0]->failure();
}

TEST_F(PeerWatchTest, OfRanksThatWaitForRank0OneReports) {
  for (int i : {0, 1, 2}) Start(i, FarHomes(3));
  for (int i : {1, 2}) watches_[i]->SendEnd();
  ASSERT_TRUE(WaitUntil([&] { return !watches_[1]->IsAlive(2) && !watches_[2]->IsAlive(1); }));
  Silence(0, {1, 2});
  PassSilence({1, 2});
  for (int i : {1, 2}) ASSERT_TRUE(WaitUntil([&] { return watches_[i]->failed(); }));
  EXPECT_TRUE(watches_[1]->should_report());
  EXPECT_FALSE(watches_[2]->should_report());
}

// The launcher ends a run whose rank died on another host before its silence is long.
TEST_F(PeerWatchTest, AnUrgentLookFindsWhoMissedAFewBeats) {
  for (int i : {0, 1, 2}) Start(i, FarHomes(3));
  AwaitBeats({0, 1, 2});
  Silence(1, {0, 2});
  now_ms_ += 20 * kBeat.count();
  AwaitBeats({0, 2});
  watches_[0]->LookNow();
  EXPECT_FALSE(watches_[0]->failed()) << watches_[0]->failure();
  ASSERT_TRUE(WaitUntil([&] {
    watches_[0]->LookNow(/*urgent=*/true);
    return watches_[0]->failed();
  }));
  EXPECT_THAT(std::string(watches_[0]->failure().message()), StartsWith("rank 1 (host node1"));
}

TEST_F(PeerWatchTest, TellsWhoMayNotNotice) {
  std::atomic<int> told = 0;
  Start(0, FarHomes(2), [&] { ++told; });
  Start(1, FarHomes(2)).SendFailure(absl::DataLossError("gone"));
  ASSERT_TRUE(WaitUntil([&] { return told > 0; }));
  watches_[1]->SendFailure(absl::DataLossError("again"));
  AwaitBeats({0, 1});
  EXPECT_EQ(told, 1);
}

// As after a pause of the whole machine: nobody could have answered.
TEST_F(PeerWatchTest, AfterAPauseOfItsOwnTheOthersGetAnotherChance) {
  for (int i : {0, 1}) Start(i, FarHomes(2));
  AwaitBeats({0, 1});
  {
    const std::scoped_lock all(mutexes_[0], mutexes_[1]);
    now_ms_ += kLongerThanSilence.count();
  }
  AwaitBeats({0, 1});
  for (int i : {0, 1}) EXPECT_FALSE(watches_[i]->failed()) << watches_[i]->failure();
}

}  // namespace
}  // namespace infer
