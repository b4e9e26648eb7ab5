// SPDX-License-Identifier: Apache-2.0
//
// Launches by value: which functions a call makes, with which grids.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>

#include "backends/cuda/launch.h"
#include "backends/cuda/weight_types.h"
#include "ir/base/strings.h"
#include "ir/ops/ops.h"
#include "tests/backends/cuda/case_runner.h"

namespace infer::cuda {
namespace {

using conformance::CaseData;
using conformance::ConformanceCase;
using ::testing::ElementsAre;

std::vector<Launch> LaunchesOf(const ConformanceCase& c, std::string_view kernel) {
  Graph graph;
  const Node* node = conformance::MakeNode(c, &graph);
  const CaseData data(c);
  const CaseMemory memory(c, data, *node, Place::kApart);
  std::vector<std::byte> workspace(1 << 20);
  std::vector<Launch> launches;
  for (const CudaKernel& candidate : CudaKernels()) {
    if (candidate.info.name != kernel) continue;
    KernelArgs args = memory.args();
    args.workspace = workspace.data();
    candidate.launch(args, {.host = &data.batch.batch(), .max_shared_bytes = 227 * 1024}, launches);
  }
  return launches;
}

std::vector<std::string> FunctionsOf(const std::vector<Launch>& launches) {
  std::vector<std::string> names;
  for (const Launch& launch : launches) names.push_back(launch.function);
  return names;
}

ConformanceCase Product(DType type, int32_t tokens, int64_t inner, int64_t outputs = 70) {
  return {
      .name = "product",
      .op = &ops::kLinear,
      .args = {conformance::Rows({Symbol::kT, inner}), conformance::Weight(type, outputs, inner)},
      .sequences = std::vector<conformance::SequencePart>(tokens, {0, 1})};
}

TEST(CudaLaunches, OneTokenStreamsPiecesOfItsRows) {
  const auto function = [](DType type, int64_t inner, int64_t outputs) {
    const std::vector<Launch> launches =
        LaunchesOf(Product(type, 1, inner, outputs), StrCat("linear_", Name(type), "_cuda"));
    return launches.back().function;
  };
  EXPECT_EQ(function(DType::kQ8_0, 1024, 4096), "stream_q8_0_r4s2");
  EXPECT_EQ(function(DType::kQ8_0, 2048, 4096), "stream_q8_0_r2s4");
  EXPECT_EQ(function(DType::kQ8_0, 2048, 1024), "stream_q8_0_r1s4");  // every warp has a row
  EXPECT_EQ(function(DType::kQ8_0, 3072, 1024), "stream_q8_0_r1s6");
  EXPECT_EQ(function(DType::kQ8_0, 4096, 4096), "stream_q8_0_r1s4");
  EXPECT_EQ(function(DType::kQ8_0, 1024, 4097), "stream_q8_0_r1s4");  // not whole groups of rows
  EXPECT_EQ(function(DType::kQ4_K, 1024, 4096), "stream_q4_k_r4s1");
  EXPECT_EQ(function(DType::kF16, 1024, 4096), "stream_f16_r2s4");
  EXPECT_EQ(function(DType::kQ8_0, 96, 64), "matvec_q8_0_t1");  // scales in pairs need 64 elements
}

TEST(CudaLaunches, SharedMemoryHoldsThePiecesThatThereAre) {
  // 4 rows of 1024 for each of 128 * 8 warps: one piece of 8 units with a word of scales.
  const std::vector<Launch> launches =
      LaunchesOf(Product(DType::kQ8_0, 1, 1024, 4096), "linear_q8_0_cuda");
  EXPECT_EQ(launches[0].blocks, (Grid{128}));
  EXPECT_EQ(launches[0].shared_bytes, 128u + 1024 * 11 / 8 + 8 * 20 * 256);
}

TEST(CudaLaunches, ProductsOfFewTokensAndOfMany) {
  const auto functions = [](DType type, int32_t tokens, int64_t inner) {
    return FunctionsOf(
        LaunchesOf(Product(type, tokens, inner), StrCat("linear_", Name(type), "_cuda")));
  };
  EXPECT_THAT(functions(DType::kQ8_0, 2, 256), ElementsAre("prepare_rows", "few_q8_0_t8"));
  EXPECT_THAT(functions(DType::kQ8_0, 8, 256), ElementsAre("prepare_rows", "few_q8_0_t8"));
  EXPECT_THAT(functions(DType::kQ8_0, 9, 256), ElementsAre("prepare_rows", "few_q8_0_t16"));
  EXPECT_THAT(functions(DType::kQ8_0, 64, 256), ElementsAre("prepare_rows", "few_q8_0_t64"));
  EXPECT_THAT(functions(DType::kQ8_0, 65, 256),
              ElementsAre("convert_f16", "matmat_q8_0_m128", "merge_splits"));
  EXPECT_THAT(functions(DType::kF16, 2, 256), ElementsAre("convert_f16", "few_f16_t8"));
  EXPECT_THAT(functions(DType::kBF16, 33, 256), ElementsAre("convert_bf16", "few_bf16_t64"));
  // A prompt.
  ConformanceCase prompt = Product(DType::kQ8_0, 16, 256);
  prompt.sequences = {{0, 16}};
  EXPECT_THAT(FunctionsOf(LaunchesOf(prompt, "linear_q8_0_cuda")),
              ElementsAre("convert_f16", "matmat_q8_0_m32", "merge_splits"));
  // Rows that are not strips of 128.
  EXPECT_THAT(functions(DType::kQ8_0, 3, 96), ElementsAre("prepare_rows", "matvec_q8_0_t4"));
  EXPECT_THAT(functions(DType::kQ8_0, 9, 96), ElementsAre("convert_f16", "matmat_q8_0_m32"));
  EXPECT_THAT(functions(DType::kF16, 8, 96), ElementsAre("matvec_f16_t8"));
}

TEST(CudaLaunches, ProductsOfFewTokensHaveAtMostTwoBlocksForEachMultiprocessor) {
  const auto blocks = [](int64_t outputs) {
    return LaunchesOf(Product(DType::kQ8_0, 8, 256, outputs), "linear_q8_0_cuda")[1].blocks.x;
  };
  EXPECT_EQ(blocks(1), 1u);
  EXPECT_EQ(blocks(1024), 64u);
  EXPECT_EQ(blocks(264 * 16), 264u);
  EXPECT_EQ(blocks(264 * 16 + 1), 133u);
}

TEST(CudaLaunches, PartsOfOneTypeShareALaunch) {
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

TEST(CudaLaunches, JoinedOpsAreOneLaunchForOneToken) {
  const auto functions = [](int32_t tokens) {
    return FunctionsOf(
        LaunchesOf({.name = "swiglu",
                    .op = &ops::kNormSwiglu,
                    .args = {conformance::Rows({Symbol::kT, 256}), conformance::Norm(256),
                             conformance::Weight(DType::kQ8_0, 64, 256),
                             conformance::Weight(DType::kQ8_0, 64, 256)},
                    .attrs = {1e-6},
                    .sequences = {{0, tokens}}},
                   "norm_swiglu_cuda"));
  };
  EXPECT_THAT(functions(1), ElementsAre("stream_q8_0_r1s4_gated"));
  EXPECT_THAT(functions(2), ElementsAre("prepare_rows", "few_q8_0_t8", "fast_swiglu_f32"));
  EXPECT_THAT(functions(65), ElementsAre("rms_norm_f32", "convert_f16", "matmat_q8_0_m128",
                                         "merge_splits", "swiglu_f32"));
}

TEST(CudaLaunches, FewTilesShareTheirColumns) {
  const auto grid = [](int32_t tokens, int64_t inner, int64_t outputs) {
    return LaunchesOf(Product(DType::kQ8_0, tokens, inner, outputs), "linear_q8_0_cuda")[1].blocks;
  };
  EXPECT_EQ(grid(70, 3072, 1024), (Grid{16, 1, 8}));
  EXPECT_EQ(grid(512, 2048, 1024), (Grid{16, 4, 4}));
  EXPECT_EQ(grid(512, 1024, 4096), (Grid{64, 4, 1}));
  EXPECT_EQ(grid(70, 128, 1024), (Grid{16, 1, 1}));  // each block needs two steps to overlap
}

TEST(CudaLaunches, InvariantProductsTreatManyRowsLikeFew) {
  const auto functions = [](int32_t tokens) {
    return FunctionsOf(
        LaunchesOf(Product(DType::kQ8_0, tokens, 256), "linear_q8_0_invariant_cuda"));
  };
  EXPECT_THAT(functions(1), ElementsAre("stream_q8_0_r1s4"));
  EXPECT_THAT(functions(8), ElementsAre("prepare_rows", "matvec_q8_0_t8"));
  EXPECT_THAT(functions(9), ElementsAre("prepare_rows", "matvec_q8_0_t8"));
  EXPECT_EQ(LaunchesOf(Product(DType::kQ8_0, 33, 256), "linear_q8_0_invariant_cuda")[1].blocks.y,
            5u);
}

// As many parts of a history as for one token, and memory for the parts of 32 tokens.
TEST(CudaLaunches, InvariantAttentionHasNoTiles) {
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

TEST(CudaLaunches, SequencesWithManyTokensGetTiles) {
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
TEST(CudaLaunches, DoNotDependOnLengthsInCallsThatAreRecorded) {
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

TEST(CudaWeights, PlanesOfEveryTypeAreAligned) {
  for (const WeightType& type : kWeightTypes) {
    const PlaneBytes planes = PlanesOf(type, 3, 256);
    for (uint64_t bytes : {planes.quants, planes.high, planes.scales, planes.supers}) {
      EXPECT_EQ(bytes % 16, 0u) << type.name;
    }
    EXPECT_EQ(planes.quants, 3u * 256 / type.unit_elements * 16) << type.name;
  }
}

}  // namespace
}  // namespace infer::cuda
