// SPDX-License-Identifier: Apache-2.0
//
// Launches of top_k by value.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "ir/ops/ops.h"
#include "tests/backends/cuda/launches_of.h"

namespace infer::cuda {
namespace {

using ::testing::ElementsAre;

std::vector<Launch> TopKLaunches(int64_t columns, int32_t rows) {
  return LaunchesOf({.name = "top_k",
                     .op = &ops::kTopK,
                     .args = {conformance::Rows({Symbol::kT, columns})},
                     .attrs = {int64_t{64}, false},
                     .sequences = {{0, rows}}},
                    "top_k_f32_cuda");
}

TEST(TopKLaunches, ARowThatOneBlockReadsHasOneLaunch) {
  const std::vector<Launch> launches = TopKLaunches(4095, 3);
  EXPECT_THAT(FunctionsOf(launches), ElementsAre("top_k_row"));
  EXPECT_EQ(launches[0].blocks, (Grid{1, 3}));
}

TEST(TopKLaunches, LongRowsAreDividedIntoAtMost64Parts) {
  const std::vector<Launch> launches = TopKLaunches(4096, 3);
  EXPECT_THAT(FunctionsOf(launches), ElementsAre("top_k_parts", "top_k_merge"));
  EXPECT_EQ(launches[0].blocks, (Grid{2, 3}));
  EXPECT_EQ(launches[1].blocks, (Grid{1, 3}));
  EXPECT_EQ(TopKLaunches(151936, 1)[0].blocks, (Grid{64, 1}));
}

}  // namespace
}  // namespace infer::cuda
