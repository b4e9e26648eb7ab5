// SPDX-License-Identifier: Apache-2.0
//
// Launches of attention by value.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "ir/ops/ops.h"
#include "tests/backends/cuda/launches_of.h"

namespace infer::cuda {
namespace {

using conformance::ConformanceCase;
using ::testing::ElementsAre;

// As many parts of a history as for one token, and memory for the parts of 32 tokens.
TEST(AttentionLaunches, InvariantAttentionHasNoTiles) {
  const std::vector<Launch> launches =
      LaunchesOf({.name = "many",
                  .op = &ops::kAttention,
                  .args = {conformance::Rows({Symbol::kT, 8, 64}),
                           conformance::Cache(DType::kF16, 2, 64), conformance::BatchArg()},
                  .attrs = {0.125},
                  .sequences = {{40, 1}, {10, 70}}},
                 "attention_f16_invariant_cuda");
  EXPECT_THAT(FunctionsOf(launches),
              ElementsAre("attention_f16_d64_g4", "attention_f16_d64_g4", "attention_f16_d64_g4"));
  EXPECT_EQ(launches[0].blocks, (Grid{16, 2, 32}));
  EXPECT_EQ(launches[2].blocks, (Grid{16, 2, 7}));
}

TEST(AttentionLaunches, SequencesWithManyTokensGetTiles) {
  const ConformanceCase c = {
      .name = "mixed",
      .op = &ops::kAttention,
      .args = {conformance::Rows({Symbol::kT, 8, 64}), conformance::Cache(DType::kF16, 2, 64),
               conformance::BatchArg()},
      .attrs = {0.125},
      .sequences = {{40, 1}, {3, 2}, {10, 70}, {90, 1}}};
  const std::vector<Launch> launches = LaunchesOf(c, "attention_f16_cuda");
  EXPECT_THAT(FunctionsOf(launches), ElementsAre("attention_f16_d64_g4", "attention_tile_f16_d64",
                                                 "attention_f16_d64_g4"));
  EXPECT_EQ(launches[0].blocks, (Grid{4, 2, 3}));  // splits, groups of heads, tokens
  EXPECT_EQ(launches[1].blocks, (Grid{2, 8, 1}));  // tiles, heads
  EXPECT_EQ(launches[2].blocks, (Grid{4, 2, 1}));
}

// Calls that are recorded make launches whose grids depend on the number of tokens alone.
TEST(AttentionLaunches, DoNotDependOnLengthsInCallsThatAreRecorded) {
  const auto of = [](std::vector<conformance::SequencePart> sequences) {
    return LaunchesOf({.name = "lengths",
                       .op = &ops::kAttention,
                       .args = {conformance::Rows({Symbol::kT, 4, 64}),
                                conformance::Cache(DType::kF16, 2, 64), conformance::BatchArg()},
                       .attrs = {0.125},
                       .sequences = std::move(sequences)},
                      "attention_f16_cuda");
  };
  const std::vector<Launch> one = of({{0, 4}}), two = of({{300, 1}, {20, 3}});
  EXPECT_EQ(FunctionsOf(one), FunctionsOf(two));
  ASSERT_EQ(one.size(), 1u);
  EXPECT_EQ(one[0].blocks, two[0].blocks);
}

}  // namespace
}  // namespace infer::cuda
