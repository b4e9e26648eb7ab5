// SPDX-License-Identifier: Apache-2.0
#include "tools/api/thread_choice.h"

#include <gtest/gtest.h>

namespace infer {
namespace {

ThreadLimits Limits(int affinity) {
  ThreadLimits limits;
  limits.affinity = affinity;
  return limits;
}

TEST(ThreadChoice, IsTheMachinesByDefault) {
  const ThreadChoice choice = ChooseThreads({}, Limits(6));
  EXPECT_EQ(choice.team.threads, 6);
  EXPECT_EQ(choice.derivation, "6 = min(affinity 6)");
}

TEST(ThreadChoice, WhatWasAskedForWins) {
  const ThreadChoice choice = ChooseThreads({.count = 3}, Limits(2));
  EXPECT_EQ(choice.team.threads, 3);
  EXPECT_EQ(choice.derivation, "3 as asked; by itself 2 = min(affinity 2)");
}

TEST(ThreadChoice, MakesARegistryOfThisManyThreads) {
  auto registry = MakeKernelRegistry(ChooseThreads({.count = 3}, Limits(2)));
  ASSERT_TRUE(registry.ok()) << registry.status();
  EXPECT_EQ((*registry)->backend(Device::kCpu)->threads(), 3);
}

TEST(TooManyThreadsWarning, NamesTheCpusOfThisProcess) {
  EXPECT_EQ(TooManyThreadsWarning({.count = 0}, Limits(2)), "");
  EXPECT_EQ(TooManyThreadsWarning({.count = 2}, Limits(2)), "");
  EXPECT_EQ(TooManyThreadsWarning({.count = 3}, Limits(2)),
            "3 threads for 2 CPUs that this process may use: they will wait for each other");
  ThreadLimits limits = Limits(8);
  limits.fast_cores = 2;
  EXPECT_EQ(TooManyThreadsWarning({.count = 8}, limits), "") << "slow CPUs are CPUs too";
  limits.quota = 1.5;
  EXPECT_EQ(TooManyThreadsWarning({.count = 2}, limits),
            "2 threads for 1 CPU that this process may use, by the quota of its control group: "
            "they will wait for each other");
}

}  // namespace
}  // namespace infer
