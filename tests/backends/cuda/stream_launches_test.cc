// SPDX-License-Identifier: Apache-2.0
//
// Launches of one row of x by value.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>

#include "ir/base/strings.h"
#include "ir/ops/ops.h"
#include "tests/backends/cuda/launches_of.h"

namespace infer::cuda {
namespace {

using conformance::ConformanceCase;
using ::testing::ElementsAre;

TEST(StreamLaunches, OneTokenStreamsPiecesOfItsRows) {
  const auto function = [](DType type, int64_t inner, int64_t outputs) {
    const std::vector<Launch> launches =
        LaunchesOf(ProductCase(type, 1, inner, outputs), StrCat("linear_", Name(type), "_cuda"));
    return launches.back().function;
  };
  EXPECT_EQ(function(DType::kQ8_0, 1024, 4096), "stream_q8_0_r4s2");
  EXPECT_EQ(function(DType::kQ8_0, 2048, 4096), "stream_q8_0_r2s4");
  EXPECT_EQ(function(DType::kQ8_0, 2048, 1024), "stream_q8_0_r1s4");  // every warp has a row
  EXPECT_EQ(function(DType::kQ8_0, 3072, 1024), "stream_q8_0_r1s6");
  EXPECT_EQ(function(DType::kQ8_0, 4096, 4096), "stream_q8_0_r1s4");
  EXPECT_EQ(function(DType::kQ8_0, 1024, 4097), "stream_q8_0_r1s4");  // not whole groups of rows
  EXPECT_EQ(function(DType::kQ4_K, 1024, 4096), "stream_q4_k_r4s1");
  EXPECT_EQ(function(DType::kF16, 1024, 4096), "stream_f16_r4s4");  // all that a warp has
  EXPECT_EQ(function(DType::kF16, 1024, 2048), "stream_f16_r2s4");
  EXPECT_EQ(function(DType::kF16, 1024, 8452), "stream_f16_r2s4");
  EXPECT_EQ(function(DType::kQ8_0, 96, 64), "matvec_q8_0_t1");  // scales in pairs need 64 elements
}

TEST(StreamLaunches, SharedMemoryHoldsThePiecesThatThereAre) {
  // 4 rows of 1024 for each of 128 * 8 warps: one piece of 8 units with a word of scales.
  const std::vector<Launch> launches =
      LaunchesOf(ProductCase(DType::kQ8_0, 1, 1024, 4096), "linear_q8_0_cuda");
  EXPECT_EQ(launches[0].blocks, (Grid{128}));
  EXPECT_EQ(launches[0].shared_bytes, 128u + 1024 * 11 / 8 + 8 * 20 * 256);
}

TEST(StreamLaunches, PartsOfOneTypeShareALaunch) {
  const ConformanceCase c = {
      .name = "parts",
      .op = &ops::kMultiLinear,
      .args = {conformance::Rows({Symbol::kT, 256}), conformance::Weight(DType::kQ4_K, 64, 256),
               conformance::Weight(DType::kQ6_K, 32, 256),
               conformance::Weight(DType::kQ4_K, 32, 256)}};
  const std::vector<Launch> launches = LaunchesOf(c, "multi_linear_cuda");
  EXPECT_THAT(FunctionsOf(launches), ElementsAre("stream_q4_k_r1s4", "stream_q6_k_r1s4"));
  StreamArgs args;
  ASSERT_EQ(launches[0].arguments.size(), sizeof args);
  std::memcpy(&args, launches[0].arguments.data(), sizeof args);
  EXPECT_EQ(args.parts[1].first_block, 8u);
  EXPECT_EQ(args.parts[2].first_block, 12u);  // beyond the last block
  EXPECT_EQ(launches[0].blocks, (Grid{12, 1, 1}));
}

}  // namespace
}  // namespace infer::cuda
