// SPDX-License-Identifier: Apache-2.0
#include "runtime/piecewise.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <utility>
#include <vector>

namespace infer {
namespace {

using ::testing::ElementsAre;
using ::testing::Pair;

constexpr uint64_t kMebibyte = 1 << 20;

TEST(Piecewise, RunsBatchesAndReportsBetweenThem) {
  std::vector<std::pair<uint64_t, uint64_t>> progress;
  std::vector<int64_t> ran, batches;
  PieceWork work;
  work.progress = [&](uint64_t done, uint64_t total) {
    progress.emplace_back(done / kMebibyte, total / kMebibyte);
  };
  const std::vector<uint64_t> bytes = {20 * kMebibyte, 20 * kMebibyte, 100 * kMebibyte, kMebibyte};
  EXPECT_TRUE(RunPieces(
                  bytes, work, [&](int64_t i) { ran.push_back(i); },
                  [&](int64_t done) { batches.push_back(done); })
                  .ok());
  EXPECT_THAT(ran, ElementsAre(0, 1, 2, 3));
  EXPECT_THAT(batches, ElementsAre(2, 3, 4));
  EXPECT_THAT(progress, ElementsAre(Pair(0, 141), Pair(40, 141), Pair(140, 141), Pair(141, 141)));
}

TEST(Piecewise, BeginsNoPieceOnceStopped) {
  std::atomic<bool> stop = false;
  std::vector<int64_t> ran;
  bool batch_done = false;
  const absl::Status status = RunPieces(
      std::vector<uint64_t>(10, 1), {.stop = &stop},
      [&](int64_t i) {
        ran.push_back(i);
        stop = i == 2;
      },
      [&](int64_t) { batch_done = true; });
  EXPECT_EQ(status.code(), absl::StatusCode::kCancelled);
  EXPECT_THAT(ran, ElementsAre(0, 1, 2));
  EXPECT_FALSE(batch_done);
}

}  // namespace
}  // namespace infer
