// SPDX-License-Identifier: Apache-2.0
#include "runtime/collective.h"

#include <gtest/gtest.h>

#include <thread>
#include <vector>

#include "runtime/in_process_ranks.h"

namespace infer {
namespace {

// What each rank finds out about these numbers.
std::vector<bool> AreSame(const std::vector<uint64_t>& numbers) {
  const auto ends = MakeInProcessRanks(static_cast<int>(numbers.size()));
  std::vector<absl::StatusOr<bool>> found(numbers.size());
  std::vector<std::thread> threads;
  for (size_t i = 0; i < numbers.size(); ++i) {
    threads.emplace_back([&, i] { found[i] = IsSameOnAll(numbers[i], *ends[i]); });
  }
  for (std::thread& thread : threads) thread.join();
  std::vector<bool> same;
  for (const absl::StatusOr<bool>& each : found) {
    EXPECT_TRUE(each.ok()) << each.status();
    same.push_back(each.value_or(false));
  }
  return same;
}

TEST(Collective, RanksFindOutWhetherTheyHaveTheSameNumber) {
  EXPECT_EQ(AreSame({7, 7, 7}), (std::vector<bool>{true, true, true}));
  EXPECT_EQ(AreSame({7, 7, 8}), (std::vector<bool>{false, false, false}));
}

TEST(Collective, IsSameOnAllPassesErrorsOn) {
  const auto ends = MakeInProcessRanks(2);
  ends[1]->Abort(absl::DataLossError("rank 1 has failed"));
  EXPECT_EQ(IsSameOnAll(7, *ends[0]).status().code(), absl::StatusCode::kDataLoss);
}

}  // namespace
}  // namespace infer
