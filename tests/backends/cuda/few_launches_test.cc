// SPDX-License-Identifier: Apache-2.0
//
// Launches of a few rows of x by value.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/backends/cuda/launches_of.h"

namespace infer::cuda {
namespace {

using ::testing::ElementsAre;

TEST(FewLaunches, ProductsOfFewTokensHaveAtMostTwoBlocksForEachMultiprocessor) {
  const auto blocks = [](int64_t outputs) {
    return LaunchesOf(ProductCase(DType::kQ8_0, 8, 256, outputs), "linear_q8_0_cuda")[1].blocks.x;
  };
  EXPECT_EQ(blocks(1), 1u);
  EXPECT_EQ(blocks(1024), 64u);
  EXPECT_EQ(blocks(264 * 16), 264u);
  EXPECT_EQ(blocks(264 * 16 + 1), 133u);
}

TEST(FewLaunches, InvariantProductsTreatManyRowsLikeFew) {
  const auto functions = [](int32_t tokens) {
    return FunctionsOf(
        LaunchesOf(ProductCase(DType::kQ8_0, tokens, 256), "linear_q8_0_invariant_cuda"));
  };
  EXPECT_THAT(functions(1), ElementsAre("stream_q8_0_r1s4"));
  EXPECT_THAT(functions(8), ElementsAre("prepare_rows", "matvec_q8_0_t8"));
  EXPECT_THAT(functions(9), ElementsAre("prepare_rows", "matvec_q8_0_t8"));
  EXPECT_EQ(
      LaunchesOf(ProductCase(DType::kQ8_0, 33, 256), "linear_q8_0_invariant_cuda")[1].blocks.y, 5u);
}

}  // namespace
}  // namespace infer::cuda
