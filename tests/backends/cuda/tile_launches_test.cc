// SPDX-License-Identifier: Apache-2.0
//
// Launches of tiles by value.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/backends/cuda/launches_of.h"

namespace infer::cuda {
namespace {

TEST(TileLaunches, FewTilesShareTheirColumns) {
  const auto grid = [](int32_t tokens, int64_t inner, int64_t outputs) {
    return LaunchesOf(ProductCase(DType::kQ8_0, tokens, inner, outputs), "linear_q8_0_cuda")[1]
        .blocks;
  };
  EXPECT_EQ(grid(70, 3072, 1024), (Grid{16, 1, 8}));
  EXPECT_EQ(grid(512, 2048, 1024), (Grid{16, 4, 4}));
  EXPECT_EQ(grid(512, 1024, 4096), (Grid{64, 4, 1}));
  EXPECT_EQ(grid(70, 128, 1024), (Grid{16, 1, 1}));  // each block needs two steps to overlap
}

}  // namespace
}  // namespace infer::cuda
