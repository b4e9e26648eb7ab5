// SPDX-License-Identifier: Apache-2.0
#include "runtime/thread_governor.h"

#include <functional>
#include <map>
#include <optional>

#include "gtest/gtest.h"

namespace infer {
namespace {

constexpr int64_t kMs = 1'000'000;

// A machine whose regions take as long as the test says.
struct BusyMachine {
  int64_t now = kMs;
  int64_t delay = 1000;
  bool says = true;
  ThreadGovernor governor;
  std::map<int, int64_t> spent = {};  // by number of threads

  explicit BusyMachine(int threads)
      : governor(threads, [this] { return says ? std::optional(delay) : std::nullopt; }) {}

  // `waits`: for how much of the time a thread waits for a CPU.
  int Run(int kind, const std::function<int64_t(int threads)>& takes, double waits) {
    const int threads = governor.Choose(kind, now);
    const int64_t began = now;
    now += takes(threads);
    // A single thread has a CPU of its own.
    if (threads > 1) delay += static_cast<int64_t>(waits * static_cast<double>(now - began));
    governor.Record(kind, threads, began, now);
    spent[threads] += now - began;
    return threads;
  }
};

// The share of the time for which so many threads run, once 60 regions have met the others.
double ShareAfterAWhile(BusyMachine& machine, const std::function<int64_t(int threads)>& takes,
                        int threads) {
  for (int i = 0; i < 60; ++i) machine.Run(1, takes, 0.5);
  machine.spent.clear();
  const int64_t began = machine.now;
  for (int i = 0; i < 1000; ++i) machine.Run(1, takes, 0.5);
  return static_cast<double>(machine.spent[threads]) / static_cast<double>(machine.now - began);
}

TEST(ThreadGovernor, AQuietMachineHasAllThreadsAlways) {
  BusyMachine machine(16);
  for (int i = 0; i < 5000; ++i) {
    // A daemon now and then.
    EXPECT_EQ(machine.Run(1, [](int) { return kMs; }, i % 200 == 0 ? 0.5 : 0.01), 16);
  }
  EXPECT_FALSE(machine.governor.contended());
}

TEST(ThreadGovernor, FewerThreadsWhereTheyAreFaster) {
  BusyMachine machine(2);
  const auto takes = [](int threads) { return threads == 1 ? 2 * kMs : 9 * kMs; };
  for (int i = 0; i < 100; ++i) machine.Run(1, takes, 0.5);
  EXPECT_TRUE(machine.governor.contended());
  machine.spent.clear();
  for (int i = 0; i < 5000; ++i) machine.Run(1, takes, 0.5);
  EXPECT_LT(machine.spent[2], machine.spent[1] / 15) << "trying both is at most a twentieth";
  EXPECT_GT(machine.spent[2], 0) << "what is best may change";
}

TEST(ThreadGovernor, AllThreadsWhereTheyAreFasterDespiteTheOthers) {
  BusyMachine machine(2);
  const auto takes = [](int threads) { return threads == 1 ? 9 * kMs : 6 * kMs; };
  for (int i = 0; i < 2000; ++i) machine.Run(1, takes, 0.5);
  EXPECT_LT(machine.spent[1], machine.spent[2] / 15);
}

TEST(ThreadGovernor, FindsANumberInBetween) {
  BusyMachine machine(16);
  const auto takes = [](int threads) { return (threads == 4 ? 2 : 6) * kMs; };
  for (int i = 0; i < 4000; ++i) machine.Run(1, takes, 0.5);
  EXPECT_GT(machine.spent[4], 8 * (machine.now - machine.spent[4]) / 2);
}

TEST(ThreadGovernor, LeavesOneThreadOutForOneBusyCpu) {
  BusyMachine machine(16);
  // A thread on the busy CPU takes twice as long, and the others wait for it.
  const auto takes = [](int threads) { return (threads == 16 ? 2 : 1) * 16 * kMs / threads; };
  for (int i = 0; i < 3000; ++i) machine.Run(1, takes, 0.5);
  EXPECT_TRUE(machine.governor.contended());
  EXPECT_GT(machine.spent[15], 8 * machine.now / 10);
  EXPECT_EQ(machine.spent[8] + machine.spent[4] + machine.spent[2] + machine.spent[1], 0)
      << "far too few are not even tried";
}

TEST(ThreadGovernor, LooksBeyondNumbersThatAreAlike) {
  BusyMachine machine(16);
  // Four loops: as long as one of them meets a thread, all wait.
  const auto takes = [](int threads) {
    return (threads == 16 ? 98 : threads > 12 ? 100 : 360 / threads) * kMs / 10;
  };
  for (int i = 0; i < 1000; ++i) machine.Run(1, takes, 0.5);
  EXPECT_GT(machine.spent[12], 8 * machine.now / 10);
}

TEST(ThreadGovernor, WaitsUntilTheOthersHaveMoved) {
  BusyMachine machine(16);
  int last = 16;
  int64_t changed_at = 0;
  // Two loops, which still meet a thread in the first milliseconds with fewer of them.
  const auto takes = [&](int threads) {
    if (threads != last) changed_at = machine.now;
    last = threads;
    return threads > 14 || machine.now - changed_at < 4 * kMs ? 8 * kMs / 2 : 32 * kMs / threads;
  };
  EXPECT_GT(ShareAfterAWhile(machine, takes, 14), 0.8);
}

TEST(ThreadGovernor, ARegionInWhichTheOthersMoveDoesNotCount) {
  BusyMachine machine(16);
  int last = 16;
  // Two loops beside decoding: a token takes 17 ms as long as they meet a thread, and they move
  // during the first one with fewer threads.
  const auto takes = [&](int threads) {
    const bool moves = threads != last;
    last = threads;
    return moves ? 19 * kMs : threads > 14 ? 17 * kMs : 84 * kMs / threads;
  };
  EXPECT_GT(ShareAfterAWhile(machine, takes, 14), 0.8);
}

TEST(ThreadGovernor, LooksBelowANumberThatOthersDisturb) {
  BusyMachine machine(16);
  // As measured beside two loops: the system leaves one of 15 threads on the CPU of a loop.
  const auto takes = [](int threads) {
    return threads == 16 ? 17 * kMs : threads == 15 ? 740 * kMs : 84 * kMs / threads;
  };
  EXPECT_GT(ShareAfterAWhile(machine, takes, 14), 0.8);
}

TEST(ThreadGovernor, DoesNotTryEveryNumberWhereAllAreDisturbed) {
  BusyMachine machine(16);
  const auto takes = [](int threads) { return threads == 16 ? 17 * kMs : 740 * kMs; };
  for (int i = 0; i < 1000; ++i) machine.Run(1, takes, 0.5);
  EXPECT_GT(machine.spent[8], 0);
  EXPECT_EQ(machine.spent[4] + machine.spent[2] + machine.spent[1], 0);
}

TEST(ThreadGovernor, NoticesTheOthersWithinOneLongRegion) {
  BusyMachine machine(16);
  const auto takes = [](int threads) { return threads == 16 ? 600 * kMs : 1120 * kMs / threads; };
  EXPECT_EQ(machine.Run(1, takes, 0.9), 16);
  EXPECT_EQ(machine.Run(1, takes, 0.9), 15);
  EXPECT_EQ(machine.Run(1, takes, 0.9), 14) << "the next number is measured too";
  EXPECT_EQ(machine.Run(1, takes, 0.9), 15) << "and is no faster";
}

TEST(ThreadGovernor, APauseBeforeALongRegionIsNotWaiting) {
  BusyMachine machine(16);
  for (int i = 0; i < 20; ++i) {
    machine.delay += 500 * kMs;  // of threads that were woken late meanwhile
    machine.now += 1000 * kMs;
    EXPECT_EQ(machine.Run(1, [](int) { return 600 * kMs; }, 0.01), 16);
  }
  EXPECT_FALSE(machine.governor.contended());
}

TEST(ThreadGovernor, FollowsAMachineThatChanges) {
  BusyMachine machine(2);
  for (int i = 0; i < 500; ++i) {
    machine.Run(1, [](int threads) { return threads == 1 ? 2 * kMs : 9 * kMs; }, 0.5);
  }
  for (int i = 0; i < 1000; ++i) {
    machine.Run(1, [](int threads) { return threads == 1 ? 12 * kMs : 9 * kMs; }, 0.5);
  }
  machine.spent.clear();
  for (int i = 0; i < 500; ++i) {
    machine.Run(1, [](int threads) { return threads == 1 ? 12 * kMs : 9 * kMs; }, 0.5);
  }
  EXPECT_GT(machine.spent[2], machine.spent[1] * 10);
}

TEST(ThreadGovernor, AllThreadsAgainOnceTheOthersAreGone) {
  BusyMachine machine(2);
  const auto takes = [](int threads) { return threads == 1 ? 2 * kMs : kMs; };
  for (int i = 0; i < 200; ++i) {
    machine.Run(1, [](int threads) { return threads == 1 ? 2 * kMs : 9 * kMs; }, 0.5);
  }
  for (int i = 0; i < 2000; ++i) machine.Run(1, takes, 0.01);
  EXPECT_FALSE(machine.governor.contended());
  EXPECT_EQ(machine.Run(1, takes, 0.01), 2);
}

TEST(ThreadGovernor, KindsAreMeasuredApart) {
  BusyMachine machine(2);
  for (int i = 0; i < 1000; ++i) {
    machine.Run(1, [](int threads) { return threads == 1 ? kMs : 3 * kMs; }, 0.5);
    machine.Run(10, [](int threads) { return threads == 1 ? 90 * kMs : 50 * kMs; }, 0.5);
  }
  machine.spent.clear();
  for (int i = 0; i < 100; ++i) {
    machine.Run(1, [](int threads) { return threads == 1 ? kMs : 3 * kMs; }, 0.5);
  }
  EXPECT_GT(machine.spent[1], machine.spent[2]);
  machine.spent.clear();
  for (int i = 0; i < 100; ++i) {
    machine.Run(10, [](int threads) { return threads == 1 ? 90 * kMs : 50 * kMs; }, 0.5);
  }
  EXPECT_GT(machine.spent[2], machine.spent[1]);
}

TEST(ThreadGovernor, AllThreadsWhereTheSystemSaysNothing) {
  BusyMachine machine(2);
  machine.says = false;
  for (int i = 0; i < 1000; ++i) EXPECT_EQ(machine.Run(1, [](int) { return kMs; }, 0.5), 2);
}

TEST(ThreadGovernor, AnyKindIsTaken) {
  BusyMachine machine(3);
  for (int kind : {-1, 0, 23, 24, 1000}) {
    for (int i = 0; i < 50; ++i) machine.Run(kind, [](int) { return 5 * kMs; }, 0.5);
  }
}

}  // namespace
}  // namespace infer
